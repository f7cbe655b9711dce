// core/leases.cc: rows are taken, waited for and given back. One that is here and that nobody else
// cares for costs a lookup and a number that is written beside it.
#include "core/leases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "clock/staleness.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed

bool is_shared_now(const RowRef& ref) {
  return (ref.anchor->peek() & Anchor::kShared) != 0;
}

}  // namespace

Leases::Leases(Duration linger_min, WantedRows& wanted, SharedRows& shared, Visits& visits,
               Waits& waits, const Clocks& clocks)
    : linger_min_(linger_min),
      wanted_(wanted),
      shared_(shared),
      visits_(visits),
      waits_(waits),
      clocks_(clocks) {}

inline void Leases::prefetch(const LeaseRows& lease, std::size_t i) {
  if (lease.refs[i].row != nullptr) [[likely]] {
    __builtin_prefetch(&lease.rows->use(lease.refs[i]), 1);
    return;
  }
  const RowId id{lease.table, lease.keys[i]};
  wanted_.table(id.table).prefetch(id.key);
  returns_.prefetch(id);
}

void Leases::acquire(LeaseRows& lease, Time now) {
  GODWIT_CHECK(!lease.is_acquired);
  lease.is_acquired = true;
  if (lease.need) return acquire_bounded(lease, now);
  lease.is_short = lease.is_short && !wanted_.window().is_full();
  if (lease.is_short) lease.number = wanted_.window().begin();
  const bool is_short = lease.is_short;
  const std::uint32_t mark = LeaseWindow::mark_of(lease.number);
  shared_.note_used(lease.keys.size());
  lease.rows->look_up(lease.keys, lease.refs);
  const std::span<const RowRef> refs = lease.refs;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i + kAhead < refs.size()) prefetch(lease, i + kAhead);
    const RowRef& ref = refs[i];
    if (ref.row == nullptr) {
      take_missing(lease, i, now);
      continue;
    }
    // Read and written as a whole: what reads a byte that was just written waits for it.
    RowUse& use = lease.rows->use(ref);
    RowUse taken = use;
    taken.is_used = 1;
    const bool is_plain = is_short && (ref.word & Anchor::kShared) == 0 && taken.is_watched == 0;
    if (is_plain) [[likely]] {
      taken.last_lease = mark;
    }
    use = taken;
    if (!is_plain) take_counted(lease, i, now);
  }
  brought_ += lease.missing.size();
  if (!lingering_.empty()) sample_hot(lease);
}

void Leases::sample_hot(const LeaseRows& lease) {
  std::size_t i = hot_in_;
  for (; i < lease.keys.size(); i += kHotEvery) {
    if (hot_.size() < kSettleTogether) hot_.push_back({lease.table, lease.keys[i]});
  }
  hot_in_ = i - lease.keys.size();
}

void Leases::take_counted(LeaseRows& lease, std::size_t i, Time now) {
  const RowRef& ref = lease.refs[i];
  RowUse& use = lease.rows->use(ref);
  const RowId id{lease.table, lease.keys[i]};
  const bool is_shared = (ref.word & Anchor::kShared) != 0;
  const bool is_first = is_shared && !shared_.is_used_here(id);
  lease.counted.push_back(static_cast<std::uint32_t>(i));
  ++use.leases;
  if (is_first) bring(id, wanted_.find(id), lease.is_kept, now);
  if (use.is_watched != 0) note_reused(id, use, now);
}

void Leases::take_missing(LeaseRows& lease, std::size_t i, Time now) {
  lease.missing.push_back(static_cast<std::uint32_t>(i));
  WantedRow& row = wanted_.table(lease.table).of(lease.keys[i]);
  if (row.users++ == 0) bring({lease.table, row.key}, &row, lease.is_kept, now);
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
  } else if (probe_ && !shared_.is_used_here(*probe_)) {
    probe_.reset();  // let go before it came
  }
  if (begun) action_ = {*begun, now - *begun, action_.noted + 1};
}

void Leases::bring(RowId id, WantedRow* row, bool is_kept, Time now) {
  if (row != nullptr && row->stage != Stage::kProtocol) return;
  const SharedRows::Tie tie = shared_.tie(id);
  if (tie == SharedRows::Tie::kOwner) return;
  const bool is_here = shared_.is_resident(id);
  const bool is_known = is_here || tie == SharedRows::Tie::kEngaged;
  const TableSpec& spec = shared_.spec(id.table);
  if (!is_known && spec.placement == Placement::kStatic) return;  // when it is opened
  // Visits travel as they are: who wants codes gets copies that the owner knows.
  if (!is_known && spec.placement == Placement::kIntent && spec.rule.additive() &&
      spec.codec == Codec::kFp32) {
    row->returns = is_kept || returns_.is_back_soon(id, now) ? 1 : 0;
    if (visits_.may_begin(id, *row)) fetches_.push_back(id);
    return;
  }
  shared_.want(id, true);
  if (!is_here) asked_ = id;
}

bool Leases::settle(LeaseRows& lease) {
  // From behind, up to the first that lacks: looking at all of them whenever one has come would
  // take the square of their number.
  while (!lease.missing.empty() && settle_missing(lease, lease.missing.back())) {
    lease.missing.pop_back();
  }
  if (!lease.need) return lease.missing.empty();
  while (!lease.stale.empty() &&
         is_fresh({lease.table, lease.keys[lease.stale.back()]}, *lease.need)) {
    lease.stale.pop_back();
  }
  return lease.missing.empty() && lease.stale.empty() && clocks_.stable() >= *lease.need;
}

bool Leases::settle_missing(LeaseRows& lease, std::uint32_t position) {
  const Key key = lease.keys[position];
  lease.rows->look_up({&key, 1}, found_);
  if (found_[0].row == nullptr && shared_.owns({lease.table, key})) {
    if (!lease.rows->resolve({&key, 1}, found_).ok()) return false;
  }
  if (found_[0].row == nullptr) return false;
  lease.refs[position] = found_[0];
  ++lease.rows->use(found_[0]).leases;
  lease.counted.push_back(position);
  WantedRow& row = *wanted_.find({lease.table, key});
  --row.users;
  erase_if_idle(row, lease.table);
  if (lease.need) note_stale(lease, position);
  return true;
}

void Leases::erase_if_idle(WantedRow& row, TableId table) {
  // It is free already if it was kProtocol: erase() needs no more than its place.
  const bool is_over = row.stage == Stage::kProtocol || row.stage == Stage::kRefused;
  if (row.users == 0 && is_over) wanted_.table(table).erase(row);
}

void Leases::wait(LeaseRows& lease, TicketId ticket, Time now) {
  std::map<NodeId, std::uint64_t> asked;
  lease.is_awaited = true;
  if (lease.need) {
    freshen(lease, now);
    waits_.begin(ticket, {"lease", lease.keys.size()}, {{shared_.self(), 1}});
    waiting_.push_back({&lease, ticket});
    return;
  }
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
  if (is_bsp(lease.rows->spec().consistency)) return;  // what is written are other rows
  if (lease.need) return note_pushed(lease.table, lease.keys);
  if (!lease.rows->has_shared()) return;
  for (std::size_t i = 0; i < lease.refs.size(); ++i) {
    if (lease.refs[i].row != nullptr && is_shared_now(lease.refs[i])) {
      shared_.on_written({lease.table, lease.keys[i]});
    }
  }
}

bool Leases::release(LeaseRows& lease, Time now) {
  GODWIT_CHECK(lease.is_acquired);
  lease.is_acquired = false;
  const bool is_quiet = lease.missing.empty() && lease.counted.empty() && !lease.rows->has_shared();
  if (!is_quiet && !unsent_since_) unsent_since_ = now;
  if (lease.is_write) note_written(lease);
  if (lease.is_short) wanted_.window().end(lease.number);
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.lease == &lease; });
  if (lease.need) std::erase(unsettled_, &lease);
  for (const std::uint32_t position : lease.missing) {
    give_back_missing({lease.table, lease.keys[position]}, now);
  }
  for (const std::uint32_t position : lease.counted) {
    --lease.rows->use(lease.refs[position]).leases;
  }
  for (const std::uint32_t position : lease.counted) {
    let_go({lease.table, lease.keys[position]}, lease.refs[position], now);
  }
  // Rows may have become shared meanwhile that carry its number.
  const bool has_shared = lease.is_short && lease.rows->has_shared();
  for (std::size_t i = 0; has_shared && i < lease.keys.size(); ++i) {
    const RowRef& ref = lease.refs[i];
    if (ref.row != nullptr && is_shared_now(ref)) let_go({lease.table, lease.keys[i]}, ref, now);
  }
  lease.refs.clear();
  lease.missing.clear();
  lease.counted.clear();
  lease.stale.clear();
  lease.is_awaited = false;
  return is_quiet;
}

void Leases::give_back_missing(RowId id, Time now) {
  WantedRow& row = *wanted_.find(id);
  const Stage stage = row.stage;
  --row.users;
  erase_if_idle(row, id.table);
  if (shared_.is_used_here(id)) return;
  if (stage == Stage::kVisiting) end_or_linger(id, *wanted_.find(id), now);
  if (stage == Stage::kProtocol || stage == Stage::kRefused) shared_.want(id, false);
}

void Leases::let_go(RowId id, const RowRef& ref, Time now) {
  const bool is_shared = is_shared_now(ref);
  const bool is_watched = shared_.rows(id.table).use(ref).is_watched != 0;
  if ((!is_shared && !is_watched) || shared_.is_used_here(id)) return;
  if (is_shared) return shared_.want(id, false);
  WantedRow* const row = wanted_.find(id);
  if (row != nullptr && row->stage == Stage::kVisiting) end_or_linger(id, *row, now);
}

bool Leases::is_any_refused(const LeaseRows& lease) {
  return std::any_of(lease.missing.begin(), lease.missing.end(), [&](std::uint32_t position) {
    const WantedRow* const row = wanted_.find({lease.table, lease.keys[position]});
    return row != nullptr && row->stage == Stage::kRefused;
  });
}

void Leases::collect(Time now) {
  visits_.collect(now);
  for (const RowId id : visits_.take_returned()) {
    if (WantedRow* const row = wanted_.find(id); row->is_listed == 0) linger(id, *row, now);
  }
  measure(now);
  end_visits_if_due(now);
  for (const RowId id : visits_.take_again()) {
    const TableSpec& spec = shared_.spec(id.table);
    if (is_bounded(spec.consistency)) continue;  // by freshen_all()
    if (spec.placement == Placement::kStatic) {
      visit_if_forgotten(id);  // a lease may wait for it
    } else if (WantedRow* const row = wanted_.find(id)) {
      bring(id, row, false, now);
    }
  }
  for (const RowId id : shared_.take_refused()) visit_if_forgotten(id);
  freshen_all(now);
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
    if (!visits_.refusal() || !is_any_refused(*waiting.lease)) return false;
    waits_.fail(waiting.ticket, *visits_.refusal());
    return true;
  });
}

}  // namespace godwit
