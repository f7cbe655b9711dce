// base/cache_line.h: how far apart data of different writers must lie.
// Thread-safe: a constant.
#pragma once

#include <cstddef>

namespace godwit {

// Not std::hardware_destructive_interference_size: that changes with compiler flags, and with it
// the layout of types shared between libraries.
inline constexpr std::size_t kCacheLineSize = 64;

}  // namespace godwit
