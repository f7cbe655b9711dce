// base/alias_table.cc: Vose's construction, in linear time.
#include "base/alias_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.h"

namespace godwit {
namespace {

using Column = AliasTable::Column;

Result<> check_counts(std::span<const double> counts) {
  if (counts.empty()) return invalid_argument("no counts to draw by");
  if (counts.size() - 1 > std::numeric_limits<std::uint32_t>::max()) {
    return invalid_argument("{} counts, at most 2^32 can be drawn by", counts.size());
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!std::isfinite(counts[i]) || counts[i] < 0) {
      return invalid_argument("count {} is {}, must be a finite number >= 0", i, counts[i]);
    }
  }
  if (std::ranges::all_of(counts, [](double count) { return count == 0; })) {
    return invalid_argument("all {} counts are zero", counts.size());
  }
  return {};
}

// Columns that are all their own key's, except those of weight zero, which are all the heaviest
// key's: whatever rounding leaves unshared below (with 10^8 keys it could be a whole column), a key
// of weight zero is not drawn.
std::vector<Column> unshared_columns(std::span<const double> counts) {
  const auto heaviest = std::ranges::max_element(counts);
  const auto heaviest_key = static_cast<std::uint32_t>(heaviest - counts.begin());
  const int exponent = std::ilogb(*heaviest) + 1;  // a power of two: scaling rounds nothing
  std::vector<Column> columns(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto weight = static_cast<float>(std::ldexp(counts[i], -exponent));
    columns[i] = {.keep_below = 0,
                  .alias = weight > 0 ? static_cast<std::uint32_t>(i) : heaviest_key,
                  .weight = weight};
  }
  return columns;
}

// Fills columns that are too small for their share of the whole from keys that have too much.
void share_columns(std::vector<Column>& columns, double total) {
  const double scale = static_cast<double>(columns.size()) / total;
  std::vector<double> mass(columns.size());  // left to place, in columns
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    mass[i] = static_cast<double>(columns[i].weight) * scale;
    (mass[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t taker = small.back();
    const std::uint32_t giver = large.back();
    small.pop_back();
    columns[taker].keep_below = static_cast<std::uint64_t>(std::ldexp(mass[taker], 64));
    columns[taker].alias = giver;
    mass[giver] = mass[giver] + mass[taker] - 1;
    if (mass[giver] < 1) {
      large.pop_back();
      small.push_back(giver);
    }
  }
}

}  // namespace

AliasTable::AliasTable(std::vector<Column> columns, double total)
    : columns_(std::move(columns)), total_(total) {}

Result<AliasTable> AliasTable::make(std::span<const double> counts) {
  if (Result<> checked = check_counts(counts); !checked.ok()) return std::move(checked).error();
  std::vector<Column> columns = unshared_columns(counts);
  double total = 0;
  for (const Column& column : columns) total += static_cast<double>(column.weight);
  share_columns(columns, total);
  return AliasTable(std::move(columns), total);
}

}  // namespace godwit
