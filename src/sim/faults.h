// sim/faults.h: what goes wrong in a simulated world. Drawn from the seed, so that each seed has
// its own mixture: a few faults at a time find more than all of them always.
#pragma once

#include <cstdint>
#include <string>

#include "base/prng.h"
#include "base/time_source.h"

namespace godwit::sim {

struct Faults {
  Duration latency_max{};        // of a frame, drawn anew for each
  std::uint32_t slow_links = 0;  // of 16: ordered pairs with 250 times the latency
  Duration drop_every{};         // mean time between losses of a connection; 0 = never
  Duration reconnect_max{};
  std::uint32_t duplicates = 0;  // of 256 frames: delivered twice
  Duration partition_every{};    // one direction of a pair is held up; 0 = never
  Duration partition_max{};
  Duration freeze_every{};  // a node does nothing for a while; 0 = never
  Duration freeze_max{};
  std::size_t queue_bytes_max = 0;  // of a connection
  std::uint32_t wrong_guesses = 0;  // of 16 requests: sent to the wrong node first
};

// A mixture. Losses of connections and freezes stay shorter than what makes a node count as lost.
Faults draw_faults(Prng& prng);

// "latency 2.1 ms, drops every 30 ms, ...": what is on.
std::string to_string(const Faults& faults);

}  // namespace godwit::sim
