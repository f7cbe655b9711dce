// group/costs.h: what exchanges cost in a group, measured once when it is opened, and which
// algorithm is the cheapest by that. choose() is pure; measure_costs() is a call of all ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "group/call_links.h"
#include "group/ring.h"
#include "group/scratch.h"

namespace godwit {

enum class Algorithm : std::uint8_t { kDoubling, kHalvingDoubling, kRing };

const char* to_string(Algorithm algorithm);

struct Costs {
  // Of a message to one rank while one comes from another: seconds for each of kSizes.
  static constexpr std::array<std::size_t, 7> kSizes{64,     1024,    4096,   16384,
                                                     65536, 262144, 1048576};
  std::array<float, kSizes.size()> exchange{};
  // Of an allreduce around the ring, with the chunks that were the fastest.
  float ring_seconds_per_byte = 0;
  RingTuning ring;

  // In between the sizes by a straight line, and beyond the last as much a byte as there.
  double exchange_seconds(std::size_t bytes) const;
};

// Expected seconds of an allreduce. REQUIRES: ranks > 1.
double cost_of(const Costs& costs, Algorithm algorithm, int ranks, std::size_t bytes);

// The cheapest; the same on all ranks if the costs are.
Algorithm choose(const Costs& costs, int ranks, std::size_t bytes);

// The same on all ranks, bit by bit: means of what each has measured. Takes about 20 ms.
// REQUIRES: size() > 1.
Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch);

}  // namespace godwit
