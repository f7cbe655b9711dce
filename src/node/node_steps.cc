// node/node_steps.cc: steps of this node's workers: the blocking around core/steps.h.
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/node.h"

namespace godwit {

Result<> Node::begin_steps(const StepOptions& options, std::span<const WorkerId> workers) {
  if (has_come_back_) {
    return aborted("node {} was lost and has come back: steps go on without it", self().value());
  }
  std::vector<std::uint32_t> ids;
  for (const WorkerId worker : workers) ids.push_back(static_cast<std::uint32_t>(worker.value()));
  Result<> begun;
  with_core([&] {
    if (core_.failure()) {
      begun = *core_.failure();
    } else if (core_.steps().member().is_going_on()) {
      begun = invalid_argument("the steps that were begun before have not ended");
    } else {
      core_.begin_steps(options, ids, time_.now());
    }
  });
  return begun;
}

void Node::stop_steps() {
  with_core([&] { core_.stop_steps(time_.now()); });
}

StepReport Node::take_step_report() {
  const MutexLock lock(mutex_);
  StepLeader* const leader = core_.steps().leader();
  return leader == nullptr ? StepReport{} : leader->take_report();
}

Result<StepOrder> Node::await_step(WorkerId worker) {
  const TicketId ticket = reserve();
  with_core([&] { core_.await_step(ticket, worker); });
  GODWIT_TRY(wait(ticket));
  const MutexLock lock(mutex_);
  if (const auto& loss = core_.loss()) return *loss;
  return core_.steps().member().take(worker);
}

Result<> Node::send_step(const StepResult& result, std::span<const TableSums> sums) {
  {
    MutexLock lock(mutex_);
    for (std::int64_t i = 0; i < core_.map().servers() && !sums.empty(); ++i) {
      const NodeId peer{i};
      if (peer != self() && !core_.links().has_room(peer)) GODWIT_TRY(wait_for_room(peer, lock));
    }
    if (core_.failure()) return *core_.failure();
    if (const auto& loss = core_.loss()) return *loss;
  }
  with_core([&] { core_.send_step(result, sums, time_.now()); });
  return {};
}

std::shared_ptr<const std::atomic<std::uint64_t>> Node::over_below() {
  const MutexLock lock(mutex_);
  return core_.steps().member().over_below();
}

std::vector<NodeId> Node::absent() {
  const MutexLock lock(mutex_);
  return core_.barriers().absent();
}

}  // namespace godwit
