// store/memory_map.h: zeroed memory that costs nothing until it is touched.
// Movable owner; the memory itself is shared like any other.
#pragma once

#include <cstddef>
#include <utility>

#include "godwit/result.h"

namespace godwit {

class MemoryMap {
 public:
  MemoryMap() = default;
  // Zero-filled memory of at least `bytes`, backed by huge pages where it spans some (a random
  // row access would otherwise miss the TLB each time). kOutOfMemory if the system refuses.
  static Result<MemoryMap> make(std::size_t bytes);

  MemoryMap(MemoryMap&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryMap& operator=(MemoryMap&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryMap();

  std::byte* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  MemoryMap(std::byte* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}

  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace godwit
