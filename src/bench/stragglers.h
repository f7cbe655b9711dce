// bench/stragglers.h: who is slow and when, the same for all nodes without a word. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/errors.h"
#include "base/prng.h"
#include "godwit/result.h"

namespace godwit {

// kTransient: in one tick of ten one worker, drawn anew, takes six times as long. kPermanent: it is
// always the same one. kSlowWorker: one worker takes three times as long in every tick.
enum class Straggler : std::uint8_t { kNone, kTransient, kPermanent, kSlowWorker };

inline const char* to_string(Straggler straggler) {
  constexpr std::array kNames{"none", "transient", "permanent", "slow_worker"};
  return kNames[static_cast<std::size_t>(straggler)];
}

// The names above, of which the message tells all.
inline Result<Straggler> parse_straggler(std::string_view name) {
  for (const Straggler straggler :
       {Straggler::kNone, Straggler::kTransient, Straggler::kPermanent, Straggler::kSlowWorker}) {
    if (name == to_string(straggler)) return straggler;
  }
  return invalid_argument("straggler '{}' is none of none, transient, permanent, slow_worker",
                          name);
}

// How many steps a tick takes of one of `workers` workers.
inline double steps_of(Straggler straggler, std::int64_t workers, std::int64_t worker,
                       std::int64_t tick) {
  const std::uint64_t draw = mix64(7, static_cast<std::uint64_t>(tick));
  const bool is_slow_tick = draw % 10 == 0;
  switch (straggler) {
    case Straggler::kNone:
      return 1;
    case Straggler::kTransient: {
      const auto drawn = draw / 10 % static_cast<std::uint64_t>(workers);
      return is_slow_tick && static_cast<std::uint64_t>(worker) == drawn ? 6 : 1;
    }
    case Straggler::kPermanent:
      return is_slow_tick && worker == 0 ? 6 : 1;
    case Straggler::kSlowWorker:
      return worker == 0 ? 3 : 1;
  }
  return 1;
}

}  // namespace godwit
