// core/leases_visits.cc: which visits stay, and when they are exchanged or end.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/leases.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed

// Empties `ids`; fn(table, keys) for each table, a few keys at a time: what is written for them
// then fits into the cache, and into memory that was used before.
template <class Fn>
void for_each_table(std::vector<RowId>& ids, std::vector<Key>& keys, Fn&& fn) {
  while (!ids.empty()) {
    const TableId table = ids.back().table;
    keys.clear();
    std::erase_if(ids, [&](RowId id) {
      if (id.table != table) return false;
      keys.push_back(id.key);
      return true;
    });
    for_each_part(keys, [&](std::span<const Key> some) { fn(table, some); });
  }
}

}  // namespace

void Leases::note_reused(RowId id, RowUse& use, Time now) {
  WantedRow* const row = wanted_.find(id);
  GODWIT_CHECK(row != nullptr);
  if (row->stage != Stage::kVisiting || shared_.spec(id.table).placement != Placement::kIntent) {
    return;
  }
  row->returns = 1;
  if (row->is_listed == 0) linger(id, *row, now);
  use.is_watched = 0;
}

void Leases::linger(RowId id, WantedRow& row, Time now) {
  row.is_listed = 1;
  lingering_.push_back({id, now});
}

void Leases::send_fetches(Time now) {
  for_each_table(fetches_, keys_, [&](TableId table, std::span<const Key> keys) {
    visits_.fetch(table, keys, now);
  });
}

void Leases::end(Time now) {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (i + kAhead < ends_.size()) returns_.prefetch(ends_[i + kAhead]);
    returns_.note_gone(ends_[i], now);
  }
  for_each_table(ends_, keys_,
                 [&](TableId table, std::span<const Key> keys) { visits_.end(table, keys, now); });
}

void Leases::end_or_linger(RowId id, WantedRow& row, Time now) {
  if (row.is_listed != 0) return;
  if (row.returns != 0) return linger(id, row, now);
  row.is_listed = 1;
  if (ending_.empty()) ending_since_ = now;
  ending_.push_back(id);
}

void Leases::end_visits(Time now) {
  for (const RowId id : ending_) {
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->is_listed == 0) continue;
    row->is_listed = 0;
    if (row->stage != Stage::kVisiting) continue;
    if (row->returns != 0 || visits_.is_out(id)) {
      linger(id, *row, now);
    } else if (!shared_.is_used_here(id)) {
      ends_.push_back(id);
    }
  }
  ending_.clear();
  end(now);
}

void Leases::settle_visits(Time now) {
  for (const RowId id : std::exchange(hot_, {})) {
    const WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->stage != Stage::kVisiting || row->is_listed == 0) continue;
    if (!visits_.is_out(id) && take_used(id)) exchanges_.push_back(id);
  }
  const std::size_t hot = exchanges_.size();
  exchange(now);
  for (std::size_t i = hot; i < kSettleTogether && settle_from() <= now; ++i) {
    const RowId id = lingering_.front().id;
    lingering_.pop_front();
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->is_listed == 0) continue;
    row->is_listed = 0;
    if (row->stage != Stage::kVisiting) continue;
    if (visits_.is_out(id)) {
      linger(id, *row, now);
    } else if (take_used(id) || shared_.is_used_here(id)) {
      exchanges_.push_back(id);
    } else {
      ends_.push_back(id);
    }
  }
  // Not before: a row whose visit was cut short may be in the list twice.
  for (const RowId id : exchanges_) linger(id, *wanted_.find(id), now);
  end(now);
  exchange(now);
}

bool Leases::take_used(RowId id) {
  RowUse& use = *shared_.rows(id.table).use(id.key);
  const bool is_used = use.is_used != 0;
  use.is_used = 0;
  return is_used;
}

void Leases::exchange(Time now) {
  for_each_table(exchanges_, keys_, [&](TableId table, std::span<const Key> keys) {
    visits_.exchange(table, keys, now);
  });
}

void Leases::flush_visits(bool refreshes, Time now) {
  end_visits(now);
  std::erase_if(lingering_, [&](const Lingering& lingering) {
    const RowId id = lingering.id;
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->is_listed == 0) return true;
    const bool is_visiting = row->stage == Stage::kVisiting;
    if (is_visiting && (visits_.is_out(id) || shared_.is_used_here(id))) return false;
    row->is_listed = 0;
    if (is_visiting) ends_.push_back(id);
    return true;
  });
  end(now);
  visits_.flush(refreshes, now);
}

}  // namespace godwit
