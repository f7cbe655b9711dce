// sim/pace_run.h: one learning on a simulated clock, paced by a policy. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "pace/inclusion_monitor.h"
#include "pace/pace_policy.h"
#include "pace/pace_timings.h"
#include "sim/least_squares.h"
#include "sim/pace_law.h"

namespace godwit::sim {

struct PaceRunOptions {
  std::uint32_t workers = 50;
  std::uint32_t full_load = 40;
  bool has_shards = false;          // a worker has samples of its own; else all draw from all
  bool late_workers_report = true;  // their times
  bool tells_noise = true;          // of gradients
};

// Since the start.
struct PaceTotals {
  double seconds = 0;
  std::uint64_t steps = 0;
  std::uint64_t assigned = 0;   // gradients of samples that workers were told to compute
  std::uint64_t performed = 0;  // those that were, until their step ended
  std::uint64_t used = 0;
  std::uint64_t messages = 0;  // gradients that came in time
};

class PaceRun {
 public:
  // The policy, and the timings that it may ask, outlive it. The same seed gives the same delays,
  // whatever the policy.
  PaceRun(const LeastSquares* problem, const PaceLaw& law, const PaceRunOptions& options,
          std::uint64_t seed, PacePolicy* policy, PaceTimings* timings = nullptr);

  void step();

  const PaceTotals& totals() const { return totals_; }
  const PaceChoice& choice() const { return choice_; }  // of the last step
  double step_seconds() const { return step_seconds_; }
  double error() const { return error_; }
  // Smoothed over about 20 steps.
  double smooth_error() const { return smooth_error_; }
  double mean_loss() const { return mean_loss_; }
  // How often samples of each worker's shard counted, or of the same part of all if there are no
  // shards.
  const InclusionMonitor& inclusion() const { return inclusion_; }

 private:
  struct Job {
    double comm = 0;
    double compute = 0;  // of the load
    double begin = 0;
    double end = 0;
    bool is_begun = true;
    bool is_in_time = false;
  };

  void draw_jobs();
  void end_jobs();
  void tell_times(std::uint32_t worker);
  DelayObservation report_of(std::uint32_t worker, double share);
  void learn();
  double add_results(std::uint32_t worker);
  double add_halves();
  void tell_noise();

  const LeastSquares* problem_;
  PaceLaw law_;
  PaceRunOptions options_;
  PacePolicy* policy_;
  PaceTimings* timings_;
  Prng delays_;
  Prng samples_;
  std::vector<Job> jobs_;  // by worker
  std::vector<double> ends_;
  std::vector<double> free_at_;
  struct Untold {
    std::uint64_t step;
    DelayObservation times;
  };
  std::vector<double> way_back_;               // of each worker's last result
  std::vector<std::optional<Untold>> untold_;  // of work that is not done yet
  std::vector<std::uint32_t> batch_;
  std::vector<float> parameters_;
  std::vector<float> reference_;
  std::vector<float> gradient_;
  std::vector<float> last_gradient_;
  std::vector<float> halves_[2];
  bool tells_noise_ = false;  // of this step, after it
  double variance_ = 0;       // of a sample's gradient in this step, summed over samples
  InclusionMonitor inclusion_;
  PaceTotals totals_;
  PaceChoice choice_;
  double step_seconds_ = 0;
  double error_;
  double smooth_error_;
  double mean_loss_ = 0;
};

}  // namespace godwit::sim
