// train/step_worker.h: what one worker does in a step: reads the parameters, adds up gradients a
// few samples at a time, and stops when nobody wants the rest. Owned by the worker's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "godwit/result.h"
#include "godwit/steps.h"
#include "godwit/worker.h"
#include "train/injected_delays.h"
#include "train/step_model.h"
#include "train/task.h"

namespace godwit {

class StepWorker {
 public:
  // Between two looks whether it is over, at most this part of the samples is computed: so that
  // nearly always the next step begins within an eighth of a batch's time, hearing of it included.
  static constexpr std::uint64_t kLooks = 10;

  // REQUIRES: all arguments outlive this; `options` may change between epochs.
  StepWorker(const StepModel& model, const std::vector<Table>& tables, const StepOptions& options,
             const InjectedDelays& delays);

  Result<> run_step(Worker& worker, const WorkerShare& share, const Step& step, Sums& sums);
  // An epoch of tables with consistency bsp: as many ticks for every worker.
  Result<> run_ticks(Worker& worker, const WorkerShare& share, std::uint64_t epoch, Sums& sums);

  // All parameters, table after table; they hold until the next call.
  Result<std::span<const float>> read(Worker& worker);

 private:
  // Adds up gradients of samples_. True if all were computed.
  bool compute(const InjectedDelays::Drawn& delays, const std::function<bool()>& is_over,
               StepOutcome& outcome);
  std::vector<StepSums> sums_by_table() const;

  const StepModel& model_;
  const std::vector<Table>& tables_;
  const StepOptions& options_;
  const InjectedDelays& delays_;
  std::unique_ptr<StepGradients> gradients_;
  std::vector<std::vector<Key>> keys_;  // of each table
  std::vector<float> parameters_;
  std::vector<float> sums_;
  std::vector<float> half_;  // those of the second half of the samples
  std::vector<std::uint64_t> samples_;
  std::optional<Prng> prng_;
};

}  // namespace godwit
