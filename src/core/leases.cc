// core/leases.cc: a row that is here and that nobody else cares for costs one lookup and one count.
#include "core/leases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed

bool is_plain(const RowRef& ref) {
  return ref.row != nullptr && (ref.word & Anchor::kShared) == 0;
}

bool is_shared_now(const RowRef& ref) {
  return ref.row == nullptr || (ref.anchor->peek() & Anchor::kShared) != 0;
}

}  // namespace

Leases::Leases(NodeId self, Duration linger_min, WantedRows& wanted, SharedRows& shared,
               Visits& visits, Waits& waits)
    : self_(self),
      linger_min_(linger_min),
      wanted_(wanted),
      shared_(shared),
      visits_(visits),
      waits_(waits) {}

void Leases::acquire(LeaseRows& lease, Time now) {
  GODWIT_CHECK(!lease.is_acquired);
  lease.is_acquired = true;
  WantedRowsOfTable& wanted = wanted_.table(lease.table);
  UseBalance& balance = shared_.balance();
  shared_.note_used(lease.keys.size());
  const bool notes_uses = ++acquired_ % UseBalance::kOwnUses == 0;
  const auto prefetch = [&](std::size_t i) {
    if (i >= lease.keys.size()) return;
    wanted.prefetch(lease.keys[i]);
    if (notes_uses) balance.prefetch({lease.table, lease.keys[i]});
  };
  for (std::size_t i = 0; i < kAhead; ++i) prefetch(i);
  lease.rows->look_up(lease.keys, lease.refs);
  for (std::size_t i = 0; i < lease.keys.size(); ++i) {
    prefetch(i + kAhead);
    if (const std::size_t soon = i + kAhead / 2;
        soon < lease.keys.size() && lease.refs[soon].row == nullptr) {
      returns_.prefetch({lease.table, lease.keys[soon]});
    }
    WantedRow& row = wanted.of(lease.keys[i]);
    const bool is_first = row.users++ == 0;
    if (is_plain(lease.refs[i])) {  // owned here, or visiting
      if (row.stage == Stage::kVisiting) {
        note_reused(lease.table, row, now);
      } else if (notes_uses) {
        balance.note_own({lease.table, row.key}, self_);
      }
      continue;
    }
    const bool is_here = lease.refs[i].row != nullptr;
    if (!is_here) lease.missing.push_back(static_cast<std::uint32_t>(i));
    if (is_first) bring(lease.table, row, is_here, lease.is_kept, now);
  }
  brought_ += lease.missing.size();
}

Time Leases::deadline() const {
  const Time ending = ending_.empty() ? Time::max() : ending_since_ + kEndLatest;
  return unsent_since_ ? std::min(ending, *unsent_since_ + kEndLatest) : ending;
}

void Leases::send(Time now) {
  unsent_since_.reset();
  shared_.note_time(now);
  send_fetches(now);
  end_visits_if_due(now);
  shared_.tell_wants();
  if (asked_ && !probe_) {
    probe_ = asked_;
    probe_begun_ = now;
  }
  asked_.reset();
}

void Leases::measure(Time now) {
  std::optional<Time> begun = visits_.take_last_begun();
  if (probe_ && shared_.is_resident(*probe_)) {
    begun = probe_begun_;
    probe_.reset();
  } else if (probe_ && !wanted_.is_wanted(*probe_)) {
    probe_.reset();  // let go before it came
  }
  if (begun) action_ = {*begun, now - *begun, action_.noted + 1};
}

void Leases::bring(TableId table, WantedRow& row, bool is_here, bool is_kept, Time now) {
  const RowId id{table, row.key};
  if (row.stage != Stage::kProtocol) return;
  const SharedRows::Tie tie = shared_.tie(id);
  if (tie == SharedRows::Tie::kOwner) return;
  const bool is_known = is_here || tie == SharedRows::Tie::kEngaged;
  const TableSpec& spec = shared_.spec(table);
  if (!is_known && spec.placement == Placement::kStatic) return;  // when it is opened
  // Visits travel as they are: who wants codes gets copies that the owner knows.
  if (!is_known && spec.placement == Placement::kIntent && spec.rule.additive() &&
      spec.codec == Codec::kFp32) {
    row.returns = is_kept || returns_.is_back_soon(id, now) ? 1 : 0;
    if (visits_.may_begin(id, row)) fetches_.push_back(id);
    return;
  }
  shared_.want(id, true);
  if (!is_here) asked_ = id;
}

void Leases::note_reused(TableId table, WantedRow& row, Time now) {
  if (shared_.spec(table).placement != Placement::kIntent) return;
  row.is_reused = row.returns = 1;
  if (row.is_listed == 0) linger({table, row.key}, row, now);
}

void Leases::linger(RowId id, WantedRow& row, Time now) {
  row.is_listed = 1;
  lingering_.push_back({id, now});
}

// Empties `ids`; fn(table) for each table, with its keys in `keys`.
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
    fn(table);
  }
}

void Leases::send_fetches(Time now) {
  for_each_table(fetches_, keys_, [&](TableId table) { visits_.fetch(table, keys_, now); });
}

void Leases::end(Time now) {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (i + kAhead < ends_.size()) returns_.prefetch(ends_[i + kAhead]);
    returns_.note_gone(ends_[i], now);
  }
  for_each_table(ends_, keys_, [&](TableId table) { visits_.end(table, keys_, now); });
}

bool Leases::settle(LeaseRows& lease) {
  std::erase_if(lease.missing, [&](std::uint32_t position) {
    const Key key = lease.keys[position];
    lease.rows->look_up({&key, 1}, found_);
    if (found_[0].row == nullptr && shared_.owns({lease.table, key})) {
      if (!lease.rows->resolve({&key, 1}, found_).ok()) return false;
    }
    lease.refs[position] = found_[0];
    return found_[0].row != nullptr;
  });
  return lease.missing.empty();
}

void Leases::wait(LeaseRows& lease, TicketId ticket, Time now) {
  std::map<NodeId, std::uint64_t> asked;
  for (const std::uint32_t position : lease.missing) {
    const RowId id{lease.table, lease.keys[position]};
    ++asked[shared_.next_hop(id, false, 0).node];
    visit_if_forgotten(id);
  }
  send_fetches(now);
  std::vector<Waits::Request> requests;
  for (const auto& [node, count] : asked) requests.push_back({node, count});
  waits_.begin(ticket, {"lease", lease.keys.size()}, std::move(requests));
  waiting_.push_back({&lease, ticket});
}

void Leases::visit_if_forgotten(RowId id) {
  WantedRow* const row = wanted_.find(id);
  if (row == nullptr || row->users == 0 || row->stage != Stage::kProtocol ||
      shared_.tie(id) != SharedRows::Tie::kNone || !shared_.spec(id.table).rule.additive()) {
    return;
  }
  if (visits_.may_begin(id, *row)) fetches_.push_back(id);
}

void Leases::note_written(const LeaseRows& lease) {
  for (std::size_t i = 0; i < lease.refs.size(); ++i) {
    if (lease.refs[i].row != nullptr && is_shared_now(lease.refs[i])) {
      shared_.on_written({lease.table, lease.keys[i]});
    }
  }
}

void Leases::release(LeaseRows& lease, Time now) {
  GODWIT_CHECK(lease.is_acquired);
  lease.is_acquired = false;
  if (!unsent_since_) unsent_since_ = now;
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.lease == &lease; });
  if (lease.is_write) note_written(lease);
  WantedRowsOfTable& wanted = wanted_.table(lease.table);
  for (std::size_t i = 0; i < lease.keys.size(); ++i) {
    if (i + kAhead < lease.keys.size()) wanted.prefetch(lease.keys[i + kAhead]);
    WantedRow& row = *wanted.find(lease.keys[i]);
    if (--row.users > 0) {
      continue;
    }
    if (row.stage == Stage::kVisiting) {
      if (row.is_listed != 0) continue;
      if (row.returns != 0) {
        linger({lease.table, row.key}, row, now);
        continue;
      }
      row.is_listed = 1;
      if (ending_.empty()) ending_since_ = now;
      ending_.push_back({lease.table, row.key});
    } else if (row.stage == Stage::kProtocol || row.stage == Stage::kRefused) {
      // It is free already if it was kProtocol: erase() needs no more than its place.
      wanted.erase(row);
      if (is_shared_now(lease.refs[i])) shared_.want({lease.table, lease.keys[i]}, false);
    }
  }
  lease.refs.clear();
  lease.missing.clear();
}

void Leases::end_visits(Time now) {
  for (const RowId id : ending_) {
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->is_listed == 0) continue;
    row->is_listed = 0;
    if (row->stage != Stage::kVisiting) continue;
    if (row->returns != 0 || visits_.is_out(id)) {
      linger(id, *row, now);
    } else if (row->users == 0) {
      ends_.push_back(id);
    }
  }
  ending_.clear();
  end(now);
}

void Leases::settle_visits(Time now) {
  for (std::size_t i = 0; i < kSettleTogether && settle_from() <= now; ++i) {
    const RowId id = lingering_.front().id;
    lingering_.pop_front();
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->is_listed == 0) continue;
    row->is_listed = 0;
    if (row->stage != Stage::kVisiting) continue;
    if (visits_.is_out(id)) {
      linger(id, *row, now);
    } else if (row->users == 0 && row->is_reused == 0) {
      ends_.push_back(id);
    } else {
      row->is_reused = 0;
      exchanges_.push_back(id);
    }
  }
  // Not before: a row whose visit was cut short may be in the list twice.
  for (const RowId id : exchanges_) linger(id, *wanted_.find(id), now);
  end(now);
  for_each_table(exchanges_, keys_, [&](TableId table) { visits_.exchange(table, keys_, now); });
}

void Leases::flush_visits(Time now) {
  end_visits(now);
  std::erase_if(lingering_, [&](const Lingering& lingering) {
    WantedRow* const row = wanted_.find(lingering.id);
    if (row == nullptr || row->is_listed == 0) return true;
    if (row->stage == Stage::kVisiting && (row->users > 0 || visits_.is_out(lingering.id))) {
      return false;
    }
    row->is_listed = 0;
    if (row->stage == Stage::kVisiting) ends_.push_back(lingering.id);
    return true;
  });
  end(now);
  visits_.exchange_all(now);
}

void Leases::collect(Time now) {
  visits_.collect(now);
  for (const RowId id : visits_.take_returned()) {
    if (WantedRow* const row = wanted_.find(id); row->is_listed == 0) linger(id, *row, now);
  }
  measure(now);
  end_visits_if_due(now);
  for (const RowId id : visits_.take_again()) {
    if (shared_.spec(id.table).placement == Placement::kStatic) {
      visit_if_forgotten(id);  // a lease may wait for it
    } else if (WantedRow* const row = wanted_.find(id)) {
      bring(id.table, *row, false, false, now);
    }
  }
  for (const RowId id : shared_.take_refused()) visit_if_forgotten(id);
  send_fetches(now);
  shared_.tell_wants();
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (!waits_.exists(waiting.ticket) || waits_.is_done(waiting.ticket)) return true;
    if (settle(*waiting.lease)) {
      for (const NodeId peer : waits_.waiting_for(waiting.ticket)) {
        waits_.arrived_from(waiting.ticket, peer);
      }
      return true;
    }
    const bool is_refused = std::any_of(
        waiting.lease->missing.begin(), waiting.lease->missing.end(), [&](std::uint32_t position) {
          const WantedRow* const row =
              wanted_.find({waiting.lease->table, waiting.lease->keys[position]});
          return row != nullptr && row->stage == Stage::kRefused;
        });
    if (is_refused) waits_.fail(waiting.ticket, *visits_.refusal());
    return is_refused;
  });
}

}  // namespace godwit
