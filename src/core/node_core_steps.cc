// core/node_core_steps.cc: steps as the state machine's owner asks for them, and their end if they
// cannot go on.
#include "core/node_core.h"

namespace godwit {

void NodeCore::begin_steps(const StepOptions& options, std::span<const std::uint32_t> workers,
                           Time now) {
  steps_.begin(options, workers, now);
  note_step_failure();
}

void NodeCore::stop_steps(Time now) {
  steps_.stop(now);
  note_step_failure();
}

// What a step has changed, other owners have changed in another way or not at all: nothing can go
// on from that.
void NodeCore::note_step_failure() {
  if (failure_ || !steps_.failure()) return;
  failure_ = steps_.failure();
  waits_.fail_all(*failure_);
}

// What this node's own result brings about may let requests go on that have waited here.
void NodeCore::send_step(const StepResult& result, std::span<const TableSums> sums, Time now) {
  steps_.note_time(now);
  steps_.member().send(result, sums, now);
  note_step_failure();
  release_parked(now);
}

}  // namespace godwit
