// store/row_layout.h: where a row's values and state lie in memory, and how far rows are apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "godwit/table_spec.h"

namespace godwit {

struct RowLayout {
  std::size_t value_length = 0;  // floats
  std::size_t state_length = 0;  // floats, right behind the values
  std::size_t stride = 0;        // floats from one row to the next

  static RowLayout of(const TableSpec& spec);

  std::size_t row_floats() const { return value_length + state_length; }
  std::size_t row_bytes() const { return row_floats() * sizeof(float); }
  std::size_t stride_bytes() const { return stride * sizeof(float); }
};

}  // namespace godwit
