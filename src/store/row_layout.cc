// store/row_layout.cc: the distance between rows: few cache lines per row, little padding.
#include "store/row_layout.h"

#include <bit>

namespace godwit {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Below a line: a power of two, so that no row straddles two lines. From a line on: whole lines
// where that wastes at most an eighth, else quarter lines.
std::size_t stride_of(std::size_t bytes) {
  if (bytes < kCacheLineSize) return std::bit_ceil(bytes);
  const std::size_t lines = round_up(bytes, kCacheLineSize);
  return lines - bytes <= bytes / 8 ? lines : round_up(bytes, kCacheLineSize / 4);
}

}  // namespace

RowLayout RowLayout::of(const TableSpec& spec) {
  RowLayout layout;
  layout.value_length = spec.row_length;
  layout.state_length = spec.rule.state_length(spec.row_length);
  layout.stride = stride_of(layout.row_bytes()) / sizeof(float);
  return layout;
}

}  // namespace godwit
