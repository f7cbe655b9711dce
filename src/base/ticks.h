// base/ticks.h: the ends of the line of ticks.
#pragma once

#include <cstdint>
#include <limits>

#include "godwit/ids.h"

namespace godwit {

inline constexpr Tick kNoTick{-1};  // before the first
inline constexpr Tick kEndOfTime{std::numeric_limits<std::int64_t>::max()};

}  // namespace godwit
