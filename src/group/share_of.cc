// group/share_of.cc: shares of whole cache lines.
#include "group/share_of.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {

Interval share_of(std::size_t total, int rank, int size) {
  GODWIT_CHECK(0 <= rank && rank < size);
  constexpr std::size_t kLine = 16;
  const std::size_t lines = (total + kLine - 1) / kLine;
  const auto ranks = static_cast<std::size_t>(size);
  const auto at = [&](std::size_t r) {
    return std::min(total, (lines / ranks * r + std::min(r, lines % ranks)) * kLine);
  };
  const auto r = static_cast<std::size_t>(rank);
  return {at(r), at(r + 1)};
}

Interval part_of(Interval span, std::size_t index, std::size_t length) {
  const std::size_t begin = std::min(span.end, span.begin + index * length);
  return {begin, std::min(span.end, begin + length)};
}

}  // namespace godwit
