// bench/staleness_learner.h: what `godwit bench staleness` needs to know of a model. A task is made
// once and opened by each node; a learner is used by the thread of its worker.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/staleness_case.h"
#include "godwit/session.h"

namespace godwit {

// One worker's share of the data, again and again, a batch a tick.
class StalenessLearner {
 public:
  virtual ~StalenessLearner() = default;

  // Says which rows a tick will touch: of each tick once, in order.
  virtual Result<> intend(Worker& worker, std::int64_t tick) = 0;

  // Reads rows, learns the tick's batch, changes rows. Returns the mean loss of the batch as it was
  // before; what reading took is added to `wait_seconds`. REQUIRES: intend() of the tick.
  virtual Result<double> learn(Worker& worker, std::int64_t tick, double& wait_seconds) = 0;

  // To be called when the tick that was learned last is over: lets go of its rows.
  virtual void end_tick() = 0;
};

// A model and its data.
class StalenessTask {
 public:
  virtual ~StalenessTask() = default;

  // Makes the tables.
  virtual Result<> open(Session& session) = 0;

  // Of one worker of the job. The task must outlive it. REQUIRES: open().
  virtual std::unique_ptr<StalenessLearner> make_learner(std::int64_t worker) const = 0;
};

// kInvalidArgument if a worker would have nothing to learn from.
Result<std::unique_ptr<StalenessTask>> make_staleness_mf(const StalenessCase& that);
Result<std::unique_ptr<StalenessTask>> make_staleness_lda(const StalenessCase& that);

}  // namespace godwit
