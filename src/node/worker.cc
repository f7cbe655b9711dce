// node/worker.cc: a worker's calls, straight to the rows in its own process.
#include "godwit/worker.h"

#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/states.h"

namespace godwit {
namespace {

Result<> check_same_session(const WorkerState& worker, const TableState& table) {
  if (table.session == worker.session) return {};
  return invalid_argument("table '{}' belongs to another session than worker {}",
                          table.rows->spec().name, worker.id.value());
}

}  // namespace

WorkerState::WorkerState(std::shared_ptr<SessionState> session_of, WorkerId worker)
    : session(std::move(session_of)),
      id(worker),
      pulled_keys(session->metrics.counter("pull.keys").make_cell()),
      pushed_keys(session->metrics.counter("push.keys").make_cell()),
      set_keys(session->metrics.counter("set.keys").make_cell()) {}

Worker::Worker(std::unique_ptr<WorkerState> state) : state_(std::move(state)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

WorkerId Worker::id() const {
  return state_->id;
}

Tick Worker::tick() const {
  return state_->tick;
}

Result<> Worker::pull(const Table& table, std::span<const Key> keys, std::span<float> values) {
  GODWIT_TRY(check_same_session(*state_, *table.state_));
  GODWIT_TRY(table.state_->rows->pull(keys, values, state_->scratch));
  state_->pulled_keys->add(keys.size());
  return {};
}

Result<> Worker::push(const Table& table, std::span<const Key> keys,
                      std::span<const float> gradients) {
  GODWIT_TRY(check_same_session(*state_, *table.state_));
  GODWIT_TRY(table.state_->rows->push(keys, gradients, state_->scratch));
  state_->pushed_keys->add(keys.size());
  return {};
}

Result<> Worker::set(const Table& table, std::span<const Key> keys, std::span<const float> values,
                     OptimizerState state) {
  GODWIT_TRY(check_same_session(*state_, *table.state_));
  const bool reset = state == OptimizerState::kReset;
  GODWIT_TRY(table.state_->rows->set(keys, values, reset, state_->scratch));
  state_->set_keys->add(keys.size());
  return {};
}

Result<> Worker::advance() {
  state_->tick = Tick{state_->tick.value() + 1};
  return {};
}

}  // namespace godwit
