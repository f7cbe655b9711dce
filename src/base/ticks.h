// base/ticks.h: the ends of the line of ticks, and ticks in few bits. Pure.
#pragma once

#include <cstdint>
#include <limits>

#include "godwit/ids.h"

namespace godwit {

inline constexpr Tick kNoTick{-1};  // before the first
inline constexpr Tick kEndOfTime{std::numeric_limits<std::int64_t>::max()};

// A tick for who knows roughly which it is: 0 is kNoTick, the others are counted round and round.
using ShortTick = std::uint32_t;
inline constexpr std::int64_t kShortTickCount = std::numeric_limits<ShortTick>::max();

constexpr ShortTick shorten(Tick tick) {
  return tick == kNoTick ? 0 : static_cast<ShortTick>(1 + tick.value() % kShortTickCount);
}

// The tick that is meant, nearest to `about`.
constexpr Tick lengthen(ShortTick tick, Tick about) {
  if (tick == 0) return kNoTick;
  const std::int64_t near = about == kNoTick ? 0 : about.value();
  std::int64_t full = near - near % kShortTickCount + (tick - 1);
  if (full - near > kShortTickCount / 2 && full >= kShortTickCount) full -= kShortTickCount;
  if (near - full > kShortTickCount / 2) full += kShortTickCount;
  return Tick{full};
}

}  // namespace godwit
