// core/wanted_rows.cc: a record that goes lets those behind it move up, so that no lookup passes a
// free place.
#include "core/wanted_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace godwit {

void WantedRowsOfTable::erase(WantedRow& row) {
  auto hole = static_cast<std::size_t>(&row - places_.data());
  const std::size_t mask = places_.size() - 1;
  places_[hole] = {};
  --size_;
  for (std::size_t i = (hole + 1) & mask; !is_free(places_[i]); i = (i + 1) & mask) {
    // It may move to the hole unless its home lies behind the hole.
    const std::size_t from_home = (i - home(places_[i].key)) & mask;
    if (from_home < ((i - hole) & mask)) continue;
    places_[hole] = std::exchange(places_[i], {});
    hole = i;
  }
}

void WantedRowsOfTable::grow() {
  std::vector<WantedRow> old = std::move(places_);
  places_.assign(std::max<std::size_t>(64, 2 * old.size()), {});
  for (const WantedRow& row : old) {
    if (!is_free(row)) places_[locate(row.key)] = row;
  }
}

}  // namespace godwit
