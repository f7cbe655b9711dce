// godwit/steps.h: training in steps that need not wait for every worker. In a step each worker gets
// a share of the samples, computes the sum of their gradients with the same parameters, and gives
// it back; once enough have, the mean gradient is applied and the next step begins. How many are
// enough, and how large the shares are, is found out while the job runs (docs/stragglers.md).
//
// Tables of steps have Placement::kStatic and consistency async, and are changed by steps alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"

namespace godwit {

// The same on all nodes.
struct StepOptions {
  std::uint64_t samples = 0;  // of the data set, numbered from 0
  std::uint32_t batch = 0;    // of a worker in a step, at full load
  std::uint64_t first_epoch = 0;
  std::uint64_t epochs = 1;  // how often each sample is used before steps end
  std::uint64_t seed = 1;    // of the order of samples
  // Whom a step waits for, and how much each computes:
  //   "auto"               found out while it runs, from how long things take and what they bring
  //   "fixed:k=6,load=0.5" six workers, half a batch; left out: all workers, all of the batch
  //   "adaptive_k"         full batches; more workers when gradients begin to contradict each other
  std::string pace = "auto";
  // What becomes of results that come too late: "drop", or "apply:10": a result that is at most 10
  // steps late counts in the step in which it comes, and nobody is stopped short.
  std::string late = "drop";
  // With auto: take smaller shares if that makes a step no longer than by this part.
  double compute_slack = 0;
};

// kInvalidArgument if steps cannot go like that.
Result<> check_steps(const StepOptions& options);
// How many workers steps wait for if that is fixed by these options, which are checked; 0: not.
std::int64_t fixed_workers(const StepOptions& options);
// kInvalidArgument for a table whose rows cannot be their parameters.
Result<> check_step_table(const TableSpec& spec);

// Positions of samples in an order of all samples of all epochs.
struct SampleShare {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// The sample at a position: each one once in an epoch, in an order that is drawn from the seed.
std::uint64_t sample_at(const StepOptions& options, std::uint64_t position);

// What a worker is to compute.
class Step {
 public:
  std::int64_t number() const { return static_cast<std::int64_t>(number_); }
  std::span<const SampleShare> shares() const { return shares_; }
  std::uint64_t samples() const {
    std::uint64_t sum = 0;
    for (const SampleShare& share : shares_) sum += share.count;
    return sum;
  }
  // Nobody will use what comes of it any more: to be asked now and then while computing, and
  // answered by Worker::give_up_step(). Thread-safe.
  bool is_over() const { return over_below_->load(std::memory_order_relaxed) > number_; }

 private:
  friend class Worker;
  Step(std::uint64_t number, std::vector<SampleShare> shares,
       std::shared_ptr<const std::atomic<std::uint64_t>> over_below)
      : number_(number), shares_(std::move(shares)), over_below_(std::move(over_below)) {}

  std::uint64_t number_;
  std::vector<SampleShare> shares_;
  std::shared_ptr<const std::atomic<std::uint64_t>> over_below_;
};

// What a worker says about a step, beside the sums of gradients.
struct StepOutcome {
  std::uint64_t samples = 0;  // computed
  double loss = 0;            // summed over them
  // Squared distance of the mean gradients of the two halves of the samples: how much they
  // contradict each other. 0: not computed.
  double half_difference = 0;
  std::chrono::nanoseconds compute{0};  // computing took
  // Of delays that were made up for an experiment, what was not waited for since it was over.
  std::chrono::nanoseconds spared{0};
};

// What came of a step, as the leader of the steps (node 0) saw it.
struct StepRecord {
  std::int64_t step = 0;
  double seconds = 0;          // from the first step to the end of this one
  std::uint32_t k = 0;         // workers to wait for
  std::uint32_t load = 0;      // samples of each
  std::uint64_t samples = 0;   // that were used
  std::uint64_t assigned = 0;  // that were given out
  double took = 0;             // seconds
  std::uint32_t used = 0;      // results, of this step and late ones
  std::uint32_t late_applied = 0;
  std::uint32_t late_dropped = 0;
  std::uint32_t cancelled = 0;
  std::uint32_t live = 0;  // workers
  double loss = 0;         // of a sample, mean
  double variance = 0;     // of a sample's gradient; NaN: not known
  double gradient = 0;     // squared, without what noise adds; NaN: not asked for
  double expected = 0;     // seconds it was expected to take; NaN: not known
  std::int64_t stage = 0;
  std::string reason;  // for the stage
};

// How long things took a worker lately, said every 100 steps.
struct StepWorkerRecord {
  std::int64_t step = 0;
  std::int64_t node = 0;
  std::int64_t worker = 0;
  double comm_median = 0;  // seconds beside computing
  double comm_p95 = 0;
  double compute_median = 0;  // seconds a sample
  double compute_p95 = 0;
  std::uint64_t included = 0;  // results that counted so far
  bool is_live = true;
};

// Something that a person should look at.
struct StepAlarm {
  std::int64_t step = 0;
  std::string text;
};

struct StepReport {
  std::vector<StepRecord> steps;
  std::vector<StepWorkerRecord> workers;
  // How long a step is expected to take: of each load of `loads`, with k = 1, 2, ... workers.
  std::vector<std::uint32_t> loads;
  std::vector<std::vector<double>> expected;
  std::vector<StepAlarm> alarms;
};

}  // namespace godwit
