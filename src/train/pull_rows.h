// train/pull_rows.h: many rows of a table, one after the other, in batches.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/try.h"
#include "godwit/worker.h"

namespace godwit {

// Rows 0 .. rows-1 into `values`, which gets their size.
inline Result<> pull_rows(Worker& worker, const Table& table, std::uint64_t rows,
                          std::vector<float>& values) {
  constexpr std::uint64_t kAtOnce = 4096;
  const std::size_t length = table.spec().row_length;
  values.resize(rows * length);
  std::vector<Key> keys;
  for (Key first = 0; first < rows; first += kAtOnce) {
    keys.resize(std::min(kAtOnce, rows - first));
    std::iota(keys.begin(), keys.end(), first);
    GODWIT_TRY(
        worker.pull(table, keys, std::span(values).subspan(first * length, keys.size() * length)));
  }
  return {};
}

}  // namespace godwit
