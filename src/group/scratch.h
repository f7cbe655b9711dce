// group/scratch.h: memory for what is on its way, kept from call to call. Owned by the thread that
// runs the call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cache_line.h"

namespace godwit {

class Scratch {
 public:
  // At least so many bytes, aligned to a cache line; what they hold is unspecified. Valid until the
  // next call.
  std::span<std::byte> take(std::size_t bytes) {
    const std::size_t lines = (bytes + kCacheLineSize - 1) / kCacheLineSize;
    if (lines > lines_.size()) lines_ = std::vector<Line>(lines);
    return {reinterpret_cast<std::byte*>(lines_.data()), bytes};
  }

 private:
  struct alignas(kCacheLineSize) Line {
    std::byte bytes[kCacheLineSize];
  };
  std::vector<Line> lines_;
};

}  // namespace godwit
