// bench/plain_rows.h: the rows of a table in one plain array: as far apart, in memory of the same
// kind, with the same first values. What a program without tables would have.
// Thread-safe as far as rows are: nobody locks them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/cache_line.h"
#include "base/try.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "store/initial_row.h"
#include "store/memory_map.h"
#include "store/row_layout.h"

namespace godwit {

class PlainRows {
 public:
  // REQUIRES: `spec` is that of a bounded table.
  static Result<PlainRows> make(const TableSpec& spec) {
    const RowLayout layout = RowLayout::of(spec);
    GODWIT_TRY_ASSIGN(MemoryMap map, MemoryMap::make(spec.rows * layout.stride_bytes()));
    PlainRows rows(layout, std::move(map));
    for (Key key = 0; key < spec.rows; ++key) {
      fill_initial(spec.init, key, {rows[key], layout.value_length});
    }
    return rows;
  }

  // The values; what belongs to the rule is behind them.
  float* operator[](Key key) const { return begin_ + key * layout_.stride; }
  std::size_t length() const { return layout_.value_length; }
  // The rows of these keys.
  void point(std::span<const Key> keys, std::vector<float*>& rows) const {
    rows.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) rows[i] = (*this)[keys[i]];
  }
  // Asks memory for a row that is touched soon.
  void prefetch(Key key) const {
    const float* const row = (*this)[key];
    for (std::size_t i = 0; i < layout_.row_floats(); i += kCacheLineSize / sizeof(float)) {
      __builtin_prefetch(row + i, 1, 2);
    }
  }

 private:
  PlainRows(const RowLayout& layout, MemoryMap map)
      : layout_(layout), map_(std::move(map)), begin_(reinterpret_cast<float*>(map_.begin())) {}

  RowLayout layout_;
  MemoryMap map_;
  float* begin_;
};

}  // namespace godwit
