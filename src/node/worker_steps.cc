// node/worker_steps.cc: a worker's steps.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "godwit/worker.h"
#include "node/states.h"

namespace godwit {
namespace {

Result<StepResult> result_of(const WorkerState& worker, const Step& step,
                             const StepOutcome& outcome) {
  if (worker.step != static_cast<std::uint64_t>(step.number())) {
    return invalid_argument("worker {} is not in step {}", worker.id.value(), step.number());
  }
  if (outcome.samples > step.samples()) {
    return invalid_argument("{} samples computed in step {}, which has {}", outcome.samples,
                            step.number(), step.samples());
  }
  return StepResult{.step = worker.step,
                    .worker = worker.id,
                    .samples = static_cast<std::uint32_t>(outcome.samples),
                    .loss = outcome.loss,
                    .half_difference = outcome.half_difference,
                    .compute_ns = std::max<std::int64_t>(0, outcome.compute.count()),
                    .spared_ns = std::max<std::int64_t>(0, outcome.spared.count())};
}

}  // namespace

Result<std::optional<Step>> Worker::begin_step() {
  GODWIT_TRY(check_no_rows_held(*state_->session->node));
  Node& node = *state_->session->node;
  state_->step = 0;
  GODWIT_TRY_ASSIGN(StepOrder order, node.await_step(state_->id));
  if (order.is_last) return std::optional<Step>();
  state_->step = order.step;
  return std::optional(Step(order.step, std::move(order.shares), node.over_below()));
}

Result<> Worker::end_step(const Step& step, std::span<const StepSums> sums,
                          const StepOutcome& outcome) {
  GODWIT_TRY_ASSIGN(StepResult result, result_of(*state_, step, outcome));
  if (outcome.samples != step.samples()) {
    return invalid_argument("{} of the {} samples of step {} were computed", outcome.samples,
                            step.samples(), step.number());
  }
  std::vector<TableSums> tables;
  for (const StepSums& one : sums) {
    const Tables::Entry& entry = one.table->state_->entry;
    if (one.table->state_->session != state_->session) {
      return invalid_argument("table '{}' belongs to another session than worker {}",
                              entry.rows->spec().name, state_->id.value());
    }
    const auto is_this = [&](const TableSums& other) { return other.table == entry.id; };
    if (std::any_of(tables.begin(), tables.end(), is_this)) {
      return invalid_argument("sums of table '{}' are given twice", entry.rows->spec().name);
    }
    GODWIT_TRY(check_step_table(entry.rows->spec()));
    GODWIT_TRY(entry.rows->check_change(one.keys, one.sums));
    tables.push_back({.table = entry.id, .keys = one.keys, .floats = one.sums});
    state_->pushed_keys->add(one.keys.size());
  }
  for (const TableSums& table : tables) note_table(state_->stepped, table.table);
  state_->step = 0;
  result.is_whole = true;
  return state_->session->node->send_step(result, tables);
}

Result<> Worker::give_up_step(const Step& step, const StepOutcome& outcome) {
  GODWIT_TRY_ASSIGN(const StepResult result, result_of(*state_, step, outcome));
  state_->step = 0;
  return state_->session->node->send_step(result, {});
}

}  // namespace godwit
