// node/node_leases.cc: leases and rounds: the state machine's calls under the node's lock.
#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/node.h"

namespace godwit {
namespace {

using Phase = LeaseState::Phase;

constexpr std::uint64_t kShortTicks = 16;
constexpr std::int64_t kWorkersTold = 64;  // have metrics of their own

}  // namespace

void Node::start(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease, Time now) {
  if (lease->phase != Phase::kQueued) return;  // closed before its time
  lease->phase = Phase::kActive;
  const auto ticks = static_cast<std::uint64_t>(lease->last.value()) -
                     static_cast<std::uint64_t>(lease->first.value());
  lease->rows.is_short = ticks <= kShortTicks;
  lease->rows.need = need_of(*lease, std::max(lease->first, schedule.tick()));
  schedule.activate(lease);
  core_.leases().acquire(lease->rows, now);
  if (core_.leases().settle(lease->rows)) lease->is_ready.store(true, std::memory_order_release);
}

bool Node::end(LeaseState& lease, Time now) {
  if (lease.phase == Phase::kEnded) return true;
  const bool was_active = std::exchange(lease.phase, Phase::kEnded) == Phase::kActive;
  const bool is_quiet = !was_active || core_.leases().release(lease.rows, now);
  if (was_active) lease.schedule->note_ended();
  std::fill(lease.places.begin(), lease.places.end(), nullptr);
  lease.is_ready.store(false, std::memory_order_release);
  return is_quiet;
}

void Node::add_lease(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease) {
  {
    const MutexLock lock(mutex_);
    if (!schedule.is_due(lease->first)) return schedule.queue(lease);
  }
  with_core([&] {
    if (lease->first <= schedule.tick() && !lease->rows.is_kept) late_leases_->add(1);
    const Time now = time_.now();
    start(schedule, lease, now);
    core_.leases().send(now);
  });
}

Result<> Node::open_lease(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease) {
  const TicketId ticket = reserve();
  bool is_ready = false;
  std::optional<Error> error;
  with_core([&] {
    const Time now = time_.now();
    if (lease->phase == Phase::kEnded) {
      error =
          invalid_argument("this lease has ended: it was for ticks {} to {}, the tick is {}",
                           lease->first.value(), lease->last.value() - 1, schedule.tick().value());
      return;
    }
    const bool is_late = lease->phase == Phase::kQueued;
    start(schedule, lease, now);
    core_.leases().send(now);
    // Who opens it before its time reads it now.
    if (const auto need = need_of(*lease, schedule.tick())) {
      core_.leases().set_need(lease->rows, *need, now);
    }
    is_ready = core_.leases().settle(lease->rows);
    if (is_ready) {
      lease->is_ready.store(true, std::memory_order_release);
    } else if (core_.failure()) {
      error = core_.failure();
    } else {
      missed_keys_->add(lease->rows.missing.size());
      lease_waits_->add(1);
      if (!is_late) schedule.timer().note_late();
      core_.leases().wait(lease->rows, ticket, now);
    }
  });
  if (error) return std::move(*error);
  if (is_ready) return {};
  if (lease->rows.need) {
    GODWIT_TRY(wait_bounded(schedule, ticket, WaitFor::kRead));  // counts itself
  } else {
    const Time begin = time_.now();
    GODWIT_TRY(wait(ticket));
    const Duration waited = time_.now() - begin;
    const MutexLock lock(mutex_);
    lease_wait_us_->add(static_cast<std::uint64_t>(waited.count() / 1000));
  }
  lease->is_ready.store(true, std::memory_order_release);
  return {};
}

void Node::close_lease(LeaseState& lease) {
  // The time need not be exact: it is looked at in advance() again.
  {
    const MutexLock lock(mutex_);
    if (end(lease, now_)) return;
  }
  with_core([] {});
}

bool Node::is_local_now(RowId id, const TableRows& rows) const {
  return rows.is_there(id.key) || core_.shared().owns(id);
}

bool Node::is_local(const Tables::Entry& table, Key key) {
  if (table.rows->is_there(key)) return true;
  if (core_.map().home(table.id, key) != self()) return false;
  const MutexLock lock(mutex_);
  return is_local_now({table.id, key}, *table.rows);
}

Result<Missed> Node::lease_local(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease) {
  LeaseRows& rows = lease->rows;
  Missed gone;
  std::vector<Key> local;
  Result<> made;
  with_core([&] {
    for (std::size_t i = 0; i < rows.keys.size(); ++i) {
      if (is_local_now({rows.table, rows.keys[i]}, *rows.rows)) {
        local.push_back(rows.keys[i]);
      } else {
        gone.push_back(static_cast<std::uint32_t>(i));
      }
    }
    rows.keys.swap(local);
    made = rows.rows->resolve(rows.keys, rows.refs);
    const Time now = time_.now();
    if (made.ok()) start(schedule, lease, now);
    core_.leases().send(now);
  });
  GODWIT_TRY(std::move(made));
  return gone;
}

void Node::note_touched() {
  with_core([&] { core_.note_touched(); });
}

void Node::count() {
  with_core([&] {
    const auto set = [&](const char* name, auto value) {
      metrics_.gauge(name).set(static_cast<std::int64_t>(value));
    };
    set("lease.brought_keys", core_.leases().brought());
    set("lease.action_us", core_.leases().action().took.count() / 1000);
    set("visits.fetched", core_.visits().counts().fetched);
    set("visits.given_back", core_.visits().counts().given_back);
    set("visits.exchanged", core_.visits().counts().exchanged);
    set("rows.moved_in", core_.shared().counts().moved_in);
    set("rows.moved_out", core_.shared().counts().moved_out);
    set("clock.bytes", core_.links().rider_bytes());
    set("clock.stable", core_.clocks().stable().value());
    if (tables_.has_auto()) set("clock.staleness", tables_.found_staleness());
    for (const WorkerPlace& worker : workers_) {
      if (!core_.clocks().is_on() || worker.id.value() >= kWorkersTold) break;
      const auto set_wait = [&](const char* what, Duration waited) {
        set(fmt::format("clock.worker_{}.{}_wait_us", worker.id.value(), what).c_str(),
            waited.count() / 1000);
      };
      set_wait("advance", worker.schedule->advance_wait);
      set_wait("read", worker.schedule->read_wait);
    }
    set("copies", core_.shared().copies());
    set("sent.items", core_.shared().counts().items);
    set("sent.refreshes", core_.shared().counts().refreshes);
    for (std::size_t i = 0; i <= HoldTimes::kBounds.size(); ++i) {
      const bool is_last = i == HoldTimes::kBounds.size();
      const auto us = std::chrono::duration_cast<std::chrono::microseconds>(
          HoldTimes::kBounds[is_last ? i - 1 : i]);
      set(fmt::format("row_lock.{}_{}us", is_last ? "over" : "to", us.count()).c_str(),
          holds_.count(i));
    }
    set("row_lock.longest_ns", holds_.longest().count());
  });
}

// Twice if need be: a change that is out already lacks what was added since.
Result<> Node::flush(Flush kind) {
  with_core([&] { core_.begin_flush(); });
  Result<> done;
  bool is_all = false;
  for (int pass = 0; pass < 2 && done.ok() && !is_all; ++pass) {
    const TicketId ticket = reserve();
    with_core([&] {
      is_all = core_.round(time_.now(), kind);
      core_.flush(ticket);
    });
    if (auto arrived = wait(ticket); !arrived.ok()) done = std::move(arrived).error();
  }
  with_core([&] { core_.end_flush(); });
  return done;
}

Result<bool> Node::send(TicketId ticket, Purpose purpose, const Tables::Entry& table,
                        std::span<const Key> keys, std::uint32_t row_length,
                        std::vector<OutgoingRequest>& requests, bool from_home) {
  MutexLock lock(mutex_);
  for (const OutgoingRequest& request : requests) {
    if (!core_.links().has_room(request.peer)) GODWIT_TRY(wait_for_room(request.peer, lock));
  }
  if (!from_home && core_.may_have_to_wait()) {
    for (const Key key : keys) {
      // It came after it was looked for: what is done elsewhere now would not be seen here.
      if (table.rows->is_there(key)) return false;
      if (!core_.must_wait({table.id, key})) continue;
      GODWIT_TRY(wait_for_row({table.id, key}, false, lock));
      return false;
    }
  }
  core_.send(ticket, purpose, table.id, keys, row_length, std::move(requests));
  return true;
}

Result<> Node::wait_for_row(RowId id, bool until_applied, MutexLock& lock) {
  ++waiting_for_room_;
  const bool is_free = room_.wait_until(lock, time_.now() + options_.wait_max, [&] {
    return core_.failure().has_value() ||
           !(core_.must_wait(id) || (until_applied && core_.shared().is_item_out(id)));
  });
  --waiting_for_room_;
  if (core_.failure()) return *core_.failure();
  if (is_free) return {};
  return timeout("row {} is on its way between this node and {} for {}", id.key,
                 core_.members().describe(core_.shared().next_hop(id, false, 0).node, time_.now()),
                 options_.wait_max);
}

Result<bool> Node::set_rows(const Tables::Entry& table, TicketId ticket, PushMode mode,
                            std::span<const Key> keys, std::span<const float> values) {
  const std::size_t length = table.rows->spec().row_length;
  const bool is_reset = mode == PushMode::kSetResetState;
  MutexLock lock(mutex_);
  for (std::size_t i = 0; i < keys.size();) {
    const RowId id{table.id, keys[i]};
    if (!core_.must_wait(id) && !core_.shared().is_item_out(id)) {
      ++i;
      continue;
    }
    // A change that is out must be applied before. While it is waited for the lock is free: all
    // rows are looked at anew.
    GODWIT_TRY(wait_for_row(id, true, lock));
    i = 0;
  }
  KeySplit split;
  split.by(keys, nodes(), [&](Key key) {
    const RowId id{table.id, key};
    return core_.shared().owns(id) ? self() : core_.shared().next_hop(id, false, 0).node;
  });
  RowScratch scratch;
  for (const KeySplit::Group& group : split.groups()) {
    for (const std::uint32_t position : group.positions) {
      const auto row = values.subspan(std::size_t{position} * length, length);
      if (group.node == self()) {
        GODWIT_TRY(table.rows->set(keys.subspan(position, 1), row, is_reset, scratch));
      } else {
        core_.overwrite_copy({table.id, keys[position]}, row, is_reset);
      }
    }
  }
  core_.note_touched();
  auto requests = core_.router().write_pushes(ticket, table.id, mode, keys, values,
                                              static_cast<std::uint32_t>(length), split.groups());
  if (requests.empty()) return false;
  core_.send(ticket, {"set", keys.size()}, table.id, keys, 0, std::move(requests));
  return true;
}

}  // namespace godwit
