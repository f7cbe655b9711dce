// node/worker_leases.cc: a worker's intents, leases and ticks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "clock/staleness.h"
#include "godwit/worker.h"
#include "node/states.h"

namespace godwit {
namespace {

constexpr std::size_t kBytesAhead = 16384;  // of rows of an open lease

}  // namespace

Result<> check_intent(const WorkerState& worker, const TableState& table, Tick first, Tick last) {
  GODWIT_TRY(check_no_rows_held(*worker.session->node));
  if (table.session != worker.session) {
    return invalid_argument("table '{}' belongs to another session than worker {}",
                            table.entry.rows->spec().name, worker.id.value());
  }
  if (last > first) return {};
  return invalid_argument("an intent for ticks {} to {}: the last must come after the first",
                          first.value(), last.value());
}

Result<> check_in_place(const WorkerState& worker, const TableSpec& spec) {
  if (spec.rule.additive()) return {};
  if (is_bsp(spec.consistency)) {
    return invalid_argument(
        "table '{}': rows of rule {} cannot be touched in place in a bsp table; "
        "pull and push them",
        spec.name, to_string(spec.rule));
  }
  if (worker.session->node->nodes() == 1) return {};
  return invalid_argument(
      "table '{}': rows of rule {} cannot be touched in place by several nodes; pull and push them",
      spec.name, to_string(spec.rule));
}

std::shared_ptr<LeaseState> make_lease(const WorkerState& worker, const Tables::Entry& table,
                                       std::span<const Key> keys, Tick first, Tick last) {
  auto lease = std::make_shared<LeaseState>();
  lease->session = worker.session;
  lease->first = first;
  lease->last = last;
  lease->rows.table = table.id;
  lease->rows.rows = table.rows;
  lease->rows.keys.assign(keys.begin(), keys.end());
  return lease;
}

void begin_lease(WorkerState& worker, const std::shared_ptr<LeaseState>& lease) {
  Node& node = *worker.session->node;
  if (node.nodes() > 1) {
    node.add_lease(*worker.schedule, lease);
  } else {
    lease->is_ready.store(true, std::memory_order_relaxed);
  }
}

Result<Lease> Worker::intend(const Table& table, std::span<const Key> keys, Tick first, Tick last,
                             Use use) {
  GODWIT_TRY(check_intent(*state_, *table.state_, first, last));
  const Tables::Entry& entry = table.state_->entry;
  GODWIT_TRY(entry.rows->check_pull(keys, keys.size() * entry.rows->spec().row_length));
  auto lease = make_lease(*state_, entry, keys, first, last);
  lease->rows.is_write = use == Use::kWrite;
  begin_lease(*state_, lease);
  return Lease(std::move(lease));
}

Result<> Worker::wait_for_rows(Lease& lease) {
  LeaseState* const state = lease.state_.get();
  Node& node = *state_->session->node;
  LeaseRows& rows = state->rows;
  GODWIT_TRY(check_in_place(*state_, rows.rows->spec()));
  if (node.nodes() == 1) {
    if (state->last <= state_->tick) {
      return invalid_argument("this lease has ended: it was for ticks {} to {}, the tick is {}",
                              state->first.value(), state->last.value() - 1, state_->tick.value());
    }
    const Consistency& consistency = rows.rows->spec().consistency;
    if (is_bounded(consistency)) {
      GODWIT_TRY(node.wait_until_stable(*state_->schedule, node.needed(consistency, state_->tick)));
    }
    return rows.rows->resolve(rows.keys, rows.refs);
  }
  return lease.is_ready() ? Result<>() : node.open_lease(*state_->schedule, lease.state_);
}

Result<> Worker::open(Lease& lease, Access access) {
  LeaseState* const state = lease.state_.get();
  if (state == nullptr) return invalid_argument("an empty lease cannot be opened");
  if (state->session != state_->session) {
    return invalid_argument("the lease belongs to another session than worker {}",
                            state_->id.value());
  }
  Node& node = *state_->session->node;
  GODWIT_TRY(check_no_rows_held(node));
  GODWIT_TRY(wait_for_rows(lease));
  if (node.nodes() > 1) state_->schedule->note_opened(lease.state_, state_->tick);
  LeaseRows& rows = state->rows;
  state_->leased_keys->add(rows.keys.size());
  state->places.resize(rows.keys.size());
  if (is_bsp(rows.rows->spec().consistency)) {
    show_views(*state_, *state);
    state_->schedule->note_viewed(lease.state_);
    access = Access::kRacy;  // they are nobody else's
  } else {
    for (std::size_t i = 0; i < rows.keys.size(); ++i) state->places[i] = rows.refs[i].row;
  }
  lease.rows_ = state->places.data();
  lease.ahead_ = std::max<std::size_t>(1, kBytesAhead / rows.rows->layout().row_bytes());
  for (std::size_t i = 0; i < std::min(lease.ahead_, lease.size_); ++i) lease.prefetch(i);
  lease.access_ = access;
  return {};
}

Result<> Worker::close(Lease& lease) {
  if (lease.state_ == nullptr) return invalid_argument("an empty lease cannot be closed");
  GODWIT_TRY(check_no_rows_held(*state_->session->node));
  lease = Lease();
  return {};
}

Result<> Worker::report_objective(double value) {
  if (!std::isfinite(value)) return invalid_argument("an objective of {}", value);
  state_->session->node->note_objective(value);
  return {};
}

Result<> Worker::advance() {
  Node& node = *state_->session->node;
  GODWIT_TRY(check_no_rows_held(node));
  if (!state_->logs.empty()) GODWIT_TRY(send_changes(*state_));
  state_->tick = Tick{state_->tick.value() + 1};
  if (node.nodes() == 1 && !node.is_bounded()) return {};
  GODWIT_TRY(node.advance(*state_->schedule, state_->tick));
  return state_->schedule->viewed.empty() ? Result<>() : renew_views(*state_);
}

}  // namespace godwit
