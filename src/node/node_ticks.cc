// node/node_ticks.cc: ticks of workers: who begins, who goes on, who waits for whom.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "clock/staleness.h"
#include "node/node.h"

namespace godwit {
namespace {

using Phase = LeaseState::Phase;

// A worker that is busy all the time leaves the loop's thread no processor, if there are as many
// workers as processors: what has come is then handled by the workers, this often at most.
constexpr Duration kServeEvery = std::chrono::microseconds(20);
constexpr Duration kServeSeldom = std::chrono::microseconds(100);  // while nothing comes

}  // namespace

std::optional<Tick> Node::need_of(const LeaseState& lease, Tick read_in) const {
  const TableSpec& spec = lease.rows.rows->spec();
  if (!godwit::is_bounded(spec.consistency) || !spec.rule.additive()) return std::nullopt;
  return needed(spec.consistency, read_in);
}

Result<Tick> Node::begin_worker(WorkerId id, LeaseSchedule& schedule) {
  const TicketId ticket = reserve();
  schedule.worker = id;
  with_core([&] { core_.begin_worker(ticket, id, time_.now()); });
  GODWIT_TRY(wait(ticket));
  Tick tick;
  {
    const MutexLock lock(mutex_);
    workers_.push_back({id, &schedule});
    tick = core_.clocks().tick_of(id);
    schedule.advance(tick, time_.now());
  }
  // It may begin with others who are waiting to.
  const auto staleness = tables_.staleness();
  if (staleness) {
    GODWIT_TRY(wait_until_stable(schedule, needed_to_begin(tick, *staleness), WaitFor::kTick));
  }
  return tick;
}

void Node::end_worker(LeaseSchedule& schedule, const std::optional<Error>& lost) {
  with_core([&] {
    const Time now = time_.now();
    if (lost) core_.lose_changes(*lost);
    for (const auto& lease : schedule.take_all()) end(*lease, now);
    std::erase_if(workers_, [&](const auto& worker) { return worker.schedule == &schedule; });
    core_.end_worker(schedule.worker, now);
  });
}

Result<> Node::send_changes(WorkerId worker, Tick tick,
                            const std::map<TableId, std::unique_ptr<TickLog>>& logs) {
  MutexLock lock(mutex_);
  if (core_.failure()) return *core_.failure();
  for (std::int64_t i = 0; i < nodes(); ++i) {
    const NodeId peer{i};
    if (peer != self() && !core_.links().has_room(peer)) GODWIT_TRY(wait_for_room(peer, lock));
  }
  for (const auto& [table, log] : logs) core_.send_changes(worker, tick, table, *log);
  return {};
}

Result<> Node::advance(LeaseSchedule& schedule, Tick tick) {
  std::optional<Error> failure;
  Time now = time_.now();
  if (loop_ != nullptr && now - schedule.served > schedule.serve_every) {
    schedule.served = now;
    schedule.serve_every =
        loop_->serve_in_passing() ? kServeEvery : std::min(2 * schedule.serve_every, kServeSeldom);
    now = time_.now();
  }
  with_core([&] {
    now_ = now;
    advance_leases(schedule, tick, now);
    core_.advance(schedule.worker, tick, now);
    if (core_.pass_by(now)) core_.note_round_end(time_.now());
    failure = core_.failure() ? core_.failure() : core_.loss();
  });
  if (failure) return std::move(*failure);
  const auto staleness = tables_.staleness();
  if (!staleness) return {};
  // First: whatever comes of waiting, they are not ready for this tick.
  const std::vector<LeaseSchedule::LeasePtr> held = look_at_held(schedule, now);
  GODWIT_TRY(wait_until_stable(schedule, needed_to_begin(tick, *staleness), WaitFor::kTick));
  for (const auto& lease : held) GODWIT_TRY(open_lease(schedule, lease));
  const MutexLock lock(mutex_);
  count_lag(tick);
  if (tables_.has_auto()) look_at_auto(tick);
  return {};
}

void Node::advance_leases(LeaseSchedule& schedule, Tick tick, Time now) {
  if (const auto& action = core_.leases().action(); action.noted > schedule.actions_noted) {
    schedule.actions_noted = action.noted;
    schedule.timer().note_action(action.begun, action.took);
  }
  schedule.advance(tick, now);
  // First what comes, so that what is wanted again does not leave.
  for (const auto& lease : schedule.take_due()) start(schedule, lease, now);
  for (const auto& lease : schedule.take_ended()) end(*lease, now);
  core_.leases().send(now);
  std::erase_if(schedule.opened, [&](const LeaseSchedule::LeasePtr& lease) {
    if (lease->phase == Phase::kActive) core_.leases().note_written(lease->rows);
    return lease->phase != Phase::kActive;
  });
}

std::vector<LeaseSchedule::LeasePtr> Node::look_at_held(LeaseSchedule& schedule, Time now) {
  std::vector<LeaseSchedule::LeasePtr> stale;
  with_core([&] {
    schedule.active().for_each([&](const LeaseSchedule::LeasePtr& lease) {
      const bool is_open = lease->is_open.load(std::memory_order_relaxed);
      if (lease->phase != Phase::kActive || (lease->first >= schedule.tick() && !is_open)) return;
      const auto need = need_of(*lease, schedule.tick());
      if (!need) return;
      const bool is_settled = core_.leases().set_need(lease->rows, *need, now);
      lease->is_ready.store(is_settled, std::memory_order_release);
      if (is_open && !is_settled) stale.push_back(lease);
    });
  });
  return stale;
}

Result<> Node::wait_until_stable(LeaseSchedule& schedule, Tick need) {
  return wait_until_stable(schedule, need, WaitFor::kRead);
}

std::optional<TicketId> Node::await_stable(Tick need) {
  std::optional<TicketId> ticket;
  with_core([&] {
    if (core_.clocks().stable() >= need) return;
    ticket = reserve();
    core_.wait_until_stable(*ticket, need);
  });
  return ticket;
}

Result<> Node::wait_until_stable(LeaseSchedule& schedule, Tick need, WaitFor what) {
  const auto ticket = await_stable(need);
  return ticket ? wait_bounded(schedule, *ticket, what) : Result<>();
}

Result<> Node::wait_bounded(LeaseSchedule& schedule, TicketId ticket, WaitFor what) {
  const Time begin = time_.now();
  const auto done = wait(ticket);
  const Duration waited = time_.now() - begin;
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
  const bool is_read = what == WaitFor::kRead;
  const MutexLock lock(mutex_);
  (is_read ? read_wait_us_ : advance_wait_us_)->add(static_cast<std::uint64_t>(us));
  (is_read ? schedule.read_wait : schedule.advance_wait) += waited;
  auto_.note_wait(waited);
  if (!done.ok()) return done.error();
  return {};
}

// How far others are behind who begins a tick: 0 if they have ended the one before.
void Node::count_lag(Tick tick) {
  constexpr std::array<std::int64_t, 4> kUpTo{0, 1, 2, 4};
  const std::int64_t lag = tick.value() - 1 - core_.clocks().stable().value();
  const auto place = std::lower_bound(kUpTo.begin(), kUpTo.end(), lag);
  lags_[static_cast<std::size_t>(place - kUpTo.begin())]->add(1);
}

void Node::look_at_auto(Tick tick) {
  if (!auto_.note_tick(tick, workers_.size(), time_.now())) return;
  tables_.set_found_staleness(auto_.staleness());
}

void Node::note_objective(double value) {
  const MutexLock lock(mutex_);
  auto_.note_objective(value);
}

void Node::note_pushed(TableId table, std::span<const Key> keys) {
  with_core([&] { core_.leases().note_pushed(table, keys); });
}

}  // namespace godwit
