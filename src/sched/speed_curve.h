// sched/speed_curve.h: samples that a job trains in a slot, by its workers and whether all of them
// and all servers are on one machine. Immutable; thread-safe.
#pragma once

#include <cstddef>
#include <vector>

namespace godwit {

// The paper's model: a worker takes `sample_slots` for a sample and, with the batch shared by all,
// 2 * model * workers_per_server / (batch * rate) to exchange it.
struct PaperSpeed {
  double sample_slots = 1e-3;   // tau
  double model_bytes = 1e6;     // g
  int workers_per_server = 1;   // gamma
  double batch = 1;             // F
  double bytes_internal = 1e9;  // a slot, on one machine
  double bytes_external = 1e8;  // a slot, between machines

  double per_sample(bool internal) const {
    return sample_slots + 2 * model_bytes * workers_per_server /
                              (batch * (internal ? bytes_internal : bytes_external));
  }
};

// Slots that a step over the whole batch takes, with w workers and p servers:
// per_worker / w + per_server / p + constant + w_linear * w + p_linear * p.
struct FittedSpeed {
  double per_worker = 0;
  double per_server = 0;
  double constant = 0;
  double w_linear = 0;
  double p_linear = 0;

  double step_slots(double workers, double servers) const {
    return per_worker / workers + per_server / servers + constant + w_linear * workers +
           p_linear * servers;
  }
};

class SpeedCurve {
 public:
  static constexpr int kWorkersMax = 4096;

  SpeedCurve() = default;
  // REQUIRES: 1 <= workers_max <= kWorkersMax; all rates positive.
  static SpeedCurve paper(const PaperSpeed& model, int workers_max);
  // `batch` samples a step. REQUIRES: as above; steps take positive time.
  static SpeedCurve fitted(const FittedSpeed& internal, const FittedSpeed& external, double batch,
                           int workers_per_server, int workers_max);

  // A copy whose every speed is `factor` times as high.
  SpeedCurve scaled(double factor) const;

  // Samples a slot. REQUIRES: 0 <= workers. Beyond workers_max() more bring nothing.
  double samples(int workers, bool internal) const;
  // The fewest workers that train `samples` in a slot; 0 if no number of them does.
  int workers_for(double samples, bool internal) const;
  // Samples a slot at the best number of workers.
  double fastest(bool internal) const { return curve(internal).back(); }
  // That number.
  int best_workers(bool internal) const { return static_cast<int>(curve(internal).size()) - 1; }
  // The most samples that a worker can bring in a slot.
  double most_a_worker(bool internal) const;

 private:
  const std::vector<double>& curve(bool internal) const { return internal ? in_ : ex_; }

  std::vector<double> in_{0};  // by workers, rising, up to where it stops rising
  std::vector<double> ex_{0};
};

}  // namespace godwit
