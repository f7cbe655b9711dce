// core/tick_flush.cc: rows that are used here are exchanged, so that they are fresh too; of others
// the owner is only told.
#include "core/tick_flush.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace godwit {

TickFlush::TickFlush(WantedRows& wanted, const SharedRows& shared, Visits& visits, Leases& leases,
                     Waits& waits, const Flights& flights)
    : wanted_(wanted),
      shared_(shared),
      visits_(visits),
      leases_(leases),
      waits_(waits),
      flights_(flights) {}

void TickFlush::begin(Tick tick, Time now) {
  GODWIT_CHECK(!is_under_way());
  tick_ = tick;
  until_.reset();
  rows_ = leases_.take_written();
  std::sort(rows_.begin(), rows_.end());
  rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  send(now);
}

std::optional<Tick> TickFlush::take_done(Time now) {
  if (!is_under_way()) return std::nullopt;
  if (!rows_.empty()) send(now);
  if (!until_ || !visits_.have_arrived(*until_) || !flights_.have_ended(*until_)) {
    return std::nullopt;
  }
  return std::exchange(tick_, std::nullopt);
}

void TickFlush::send(Time now) {
  std::vector<RowId> left;
  for (auto begin = rows_.begin(); begin != rows_.end();) {
    const TableId table = begin->table;
    const auto end = std::find_if(begin, rows_.end(), [&](RowId id) { return id.table != table; });
    exchanged_.clear();
    told_.clear();
    for (; begin != end; ++begin) {
      const WantedRow* const row = wanted_.find(*begin);
      // What has left, or become the row itself, needs no more.
      if (row == nullptr || row->stage != Stage::kVisiting) continue;
      if (visits_.is_out(*begin)) {
        left.push_back(*begin);
      } else {
        (shared_.is_used_here(*begin) ? exchanged_ : told_).push_back(begin->key);
      }
    }
    for_each_part(exchanged_,
                  [&](std::span<const Key> some) { visits_.exchange(table, some, now); });
    for_each_part(told_, [&](std::span<const Key> some) { visits_.tell(table, some, now); });
  }
  rows_ = std::move(left);
  if (rows_.empty()) until_ = waits_.reserve();
}

}  // namespace godwit
