// group/share_of.h: which part of a flattened tensor list belongs to which rank. Pure functions.
#pragma once

#include <cstddef>

namespace godwit {

// Elements [begin, end) of a flattened list.
struct Interval {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t length() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

// The share of `rank`: shares follow each other, cover [0, total) and differ by 16 elements at
// most, the last one by 31; each but the last begins and ends at a multiple of 16, a cache line of
// floats. Late shares may be empty. REQUIRES: 0 <= rank < size.
Interval share_of(std::size_t total, int rank, int size);

// Part `index` of a span that is cut every `length` elements; empty behind its end.
Interval part_of(Interval span, std::size_t index, std::size_t length);

}  // namespace godwit
