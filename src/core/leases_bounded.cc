// core/leases_bounded.cc: leases on tables whose reads may not be older than some ticks.
//
// A visit has in it all that was stable when it was asked for: so a row is asked for, or exchanged,
// once that is as much as its next reader needs, and not before.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/leases.h"

namespace godwit {

void Leases::acquire_bounded(LeaseRows& lease, Time now) {
  lease.is_short = false;
  shared_.note_used(lease.keys.size());
  lease.rows->look_up(lease.keys, lease.refs);
  for (std::uint32_t i = 0; i < lease.keys.size(); ++i) {
    if (lease.refs[i].row == nullptr) {
      lease.missing.push_back(i);
      ++wanted_.table(lease.table).of(lease.keys[i]).users;
      continue;
    }
    RowUse& use = lease.rows->use(lease.refs[i]);
    use.is_used = 1;
    ++use.leases;
    lease.counted.push_back(i);
    if (use.is_watched != 0) note_reused({lease.table, lease.keys[i]}, use, now);
    note_stale(lease, i);
  }
  brought_ += lease.missing.size();
  if (settle(lease)) return;
  unsettled_.push_back(&lease);
  freshen(lease, now);
}

bool Leases::is_fresh(RowId id, Tick need) {
  const WantedRow* const row = wanted_.find(id);
  return row == nullptr || row->stage != Stage::kVisiting || visits_.stamp(id.table, *row) >= need;
}

void Leases::note_stale(LeaseRows& lease, std::uint32_t position) {
  if (!is_fresh({lease.table, lease.keys[position]}, *lease.need)) lease.stale.push_back(position);
}

bool Leases::set_need(LeaseRows& lease, Tick need, Time now) {
  if (!lease.is_acquired || !lease.need) return true;
  lease.need = need;
  lease.stale.clear();
  for (const std::uint32_t position : lease.counted) note_stale(lease, position);
  if (settle(lease)) return true;
  if (std::find(unsettled_.begin(), unsettled_.end(), &lease) == unsettled_.end()) {
    unsettled_.push_back(&lease);
  }
  freshen(lease, now);
  return false;
}

void Leases::freshen(LeaseRows& lease, Time now) {
  const bool is_too_early = shared_.spec(lease.table).placement == Placement::kStatic;
  if (clocks_.stable() < *lease.need || (is_too_early && !lease.is_awaited)) return;
  lease.asked = clocks_.stable();
  for (const std::uint32_t position : lease.missing) {
    const RowId id{lease.table, lease.keys[position]};
    WantedRow& row = *wanted_.find(id);
    if (row.stage != Stage::kProtocol || shared_.owns(id)) continue;
    row.returns = lease.is_kept || returns_.is_back_soon(id, now) ? 1 : 0;
    if (visits_.may_begin(id, row)) fetches_.push_back(id);
  }
  for (const std::uint32_t position : lease.stale) {
    const RowId id{lease.table, lease.keys[position]};
    if (!visits_.is_out(id) && !is_fresh(id, *lease.need)) exchanges_.push_back(id);
  }
  std::sort(exchanges_.begin(), exchanges_.end());
  exchanges_.erase(std::unique(exchanges_.begin(), exchanges_.end()), exchanges_.end());
  send_fetches(now);
  exchange(now);
}

void Leases::freshen_all(Time now) {
  const Tick stable = clocks_.stable();
  std::erase_if(unsettled_, [&](LeaseRows* lease) {
    if (*lease->need > stable) return false;  // there is nothing to be done for it now
    if (settle(*lease)) return true;
    if (lease->asked != stable || must_freshen(*lease)) freshen(*lease, now);
    return false;
  });
}

bool Leases::must_freshen(const LeaseRows& lease) {
  if (!lease.missing.empty()) {
    const RowId id{lease.table, lease.keys[lease.missing.back()]};
    return wanted_.find(id)->stage == Stage::kProtocol;
  }
  if (lease.stale.empty()) return false;
  return !visits_.is_out({lease.table, lease.keys[lease.stale.back()]});
}

const LeaseRows* Leases::awaited(TicketId ticket) const {
  for (const Waiting& waiting : waiting_) {
    if (waiting.ticket == ticket) return waiting.lease;
  }
  return nullptr;
}

std::set<NodeId> Leases::asked_for(const LeaseRows& lease) const {
  std::set<NodeId> nodes;
  for (const std::uint32_t position : lease.missing) {
    nodes.insert(shared_.next_hop({lease.table, lease.keys[position]}, false, 0).node);
  }
  for (const std::uint32_t position : lease.stale) {
    const RowId id{lease.table, lease.keys[position]};
    const WantedRow* const row = wanted_.find(id);
    if (row != nullptr && row->stage == Stage::kVisiting) {
      nodes.insert(visits_.owner(id.table, *row));
    }
  }
  return nodes;
}

void Leases::note_pushed(TableId table, std::span<const Key> keys) {
  for (const Key key : keys) {
    const WantedRow* const row = wanted_.find({table, key});
    if (row != nullptr && row->stage == Stage::kVisiting) written_.push_back({table, key});
  }
}

}  // namespace godwit
