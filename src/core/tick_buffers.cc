// core/tick_buffers.cc: checks what comes, so that closing a tick fails for want of memory only.
#include "core/tick_buffers.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/change_rows.h"

namespace godwit {

Result<> TickBuffers::add(NodeId node, const TickMark& mark, TableId table, PushMode mode,
                          std::span<const Key> keys, std::span<const float> floats) {
  if (mark.tick <= closed_) {
    return corruption("a change of worker {} of node {} in tick {}, which is closed",
                      mark.worker.value(), node.value(), mark.tick.value());
  }
  const TableRows& rows = *tables_.find(table);
  if (mode == PushMode::kMerge) {
    GODWIT_TRY(rows.check_pull(keys, floats.size(), TableRows::Part::kWhole));
  } else {
    GODWIT_TRY(rows.check_change(keys, floats));
  }
  for (const Key key : keys) ++rows_[{table, key}];
  ticks_[mark.tick].push_back({.node = node,
                               .mark = mark,
                               .table = table,
                               .mode = mode,
                               .keys = {keys.begin(), keys.end()},
                               .floats = {floats.begin(), floats.end()}});
  return {};
}

void TickBuffers::close_first() {
  std::vector<Change> changes = std::move(ticks_.begin()->second);
  ticks_.erase(ticks_.begin());
  // Stable: what was sent together and came in parts is about different rows.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.node, a.mark.worker, a.mark.order) <
           std::tie(b.node, b.mark.worker, b.mark.order);
  });
  for (const Change& change : changes) {
    const auto applied =
        change_rows(*tables_.find(change.table), change.mode, change.keys, change.floats, scratch_);
    if (!applied.ok() && !failure_) failure_ = applied.error();
    forget(change);
  }
}

void TickBuffers::forget(const Change& change) {
  for (const Key key : change.keys) {
    const auto row = rows_.find({change.table, key});
    GODWIT_CHECK(row != rows_.end());
    if (--row->second == 0) rows_.erase(row);
  }
}

}  // namespace godwit
