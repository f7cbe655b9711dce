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

Leases::Leases(WantedRows& wanted, SharedRows& shared, Visits& visits, Waits& waits)
    : wanted_(wanted), shared_(shared), visits_(visits), waits_(waits) {}

void Leases::acquire(LeaseRows& lease) {
  GODWIT_CHECK(!lease.is_acquired);
  lease.is_acquired = true;
  WantedRowsOfTable& wanted = wanted_.table(lease.table);
  lease.rows->look_up(lease.keys, lease.refs);
  for (std::size_t i = 0; i < lease.keys.size(); ++i) {
    if (i + kAhead < lease.keys.size()) {
      wanted.prefetch(lease.keys[i + kAhead]);
      reuse_.prefetch({lease.table, lease.keys[i + kAhead]});
    }
    WantedRow& row = wanted.of(lease.keys[i]);
    const bool is_first = row.users++ == 0;
    if (is_plain(lease.refs[i])) {  // owned here, or visiting
      if (row.stage == Stage::kVisiting) {
        keep_visit(lease.table, row);
      } else {
        reuse_.note_present({lease.table, row.key});
      }
      continue;
    }
    const bool is_here = lease.refs[i].row != nullptr;
    if (is_here) reuse_.note_present({lease.table, row.key});
    if (!is_here) lease.missing.push_back(static_cast<std::uint32_t>(i));
    if (is_first) bring(lease.table, row, is_here, lease.is_kept);
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

void Leases::bring(TableId table, WantedRow& row, bool is_here, bool is_kept) {
  const RowId id{table, row.key};
  if (row.stage != Stage::kProtocol) return;
  const SharedRows::Tie tie = shared_.tie(id);
  if (tie == SharedRows::Tie::kOwner) return;
  const bool is_known = is_here || tie == SharedRows::Tie::kEngaged;
  const TableSpec& spec = shared_.spec(table);
  if (visits_.is_out(id)) {
    visits_.may_begin(id, row);  // not now
    return;
  }
  if (!is_known && spec.placement == Placement::kStatic) return;  // when it is opened
  if (!is_known && !is_kept && spec.placement == Placement::kIntent && spec.rule.additive() &&
      !reuse_.note_absent(id)) {
    if (visits_.may_begin(id, row)) fetches_.push_back(id);
    return;
  }
  shared_.want(id, true);
  if (!is_here) asked_ = id;
}

// A visit that is used again before it ends would never end where it is used all the time: the
// owner gets to know of the copy.
void Leases::keep_visit(TableId table, WantedRow& row) {
  // What was given back so far must be in what the owner sends.
  if (shared_.spec(table).placement != Placement::kIntent || visits_.is_out({table, row.key})) {
    return;
  }
  shared_.adopt_copy({table, row.key}, visits_.base_of(table, row));
  visits_.forget(table, row);
}

void Leases::send_fetches(Time now) {
  while (!fetches_.empty()) {
    const TableId table = fetches_.back().table;
    fetch_keys_.clear();
    std::erase_if(fetches_, [&](RowId id) {
      if (id.table != table) return false;
      fetch_keys_.push_back(id.key);
      return true;
    });
    visits_.fetch(table, fetch_keys_, now);
  }
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
      if (row.is_ending != 0) continue;
      row.is_ending = 1;
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
  while (!ending_.empty()) {
    const TableId table = ending_.back().table;
    WantedRowsOfTable& wanted = wanted_.table(table);
    ends_.clear();
    std::erase_if(ending_, [&](RowId id) {
      if (id.table != table) return false;
      WantedRow* const row = wanted.find(id.key);
      if (row == nullptr) return true;
      row->is_ending = 0;
      if (row->stage == Stage::kVisiting && row->users == 0) ends_.push_back(id.key);
      return true;
    });
    if (!ends_.empty()) visits_.end(table, ends_, now);
  }
}

void Leases::collect(Time now) {
  visits_.collect(now);
  measure(now);
  end_visits_if_due(now);
  for (const RowId id : visits_.take_again()) {
    if (shared_.spec(id.table).placement == Placement::kStatic) {
      visit_if_forgotten(id);  // a lease may wait for it
    } else if (WantedRow* const row = wanted_.find(id)) {
      bring(id.table, *row, false, false);
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
