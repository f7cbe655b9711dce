// pace/delay_statistics.h: what is known of each worker's communication and computation times.
// Pure; not thread-safe. No clocks are compared: both times are durations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace godwit {

// What one worker needed in one step. Communication is (arrival - dispatch), on the clock of who
// decides, without the time that the worker had the step, on the worker's own; computation is the
// worker's. Of work that was cut short, `samples` are those that were done; `load` is what had been
// asked for, or 0 if it was done. No samples: the step was over when the worker had its parameters,
// so only communication is known.
struct DelayObservation {
  double comm_seconds = 0;
  double compute_seconds = 0;
  std::uint32_t samples = 0;
  std::uint32_t load = 0;

  std::uint32_t asked_load() const { return load > 0 ? load : samples; }
  bool is_something() const { return asked_load() > 0; }
};

// The same, as a part that a step costs whatever the load, and a part for each sample.
struct DelaySplit {
  double fixed_seconds = 0;
  double sample_seconds = 0;
};

// For logs.
struct DelaySummary {
  double comm_median = 0;
  double comm_p95 = 0;
  double sample_median = 0;  // computation per sample
  double sample_p95 = 0;
  double total_median = 0;  // of a whole step
};

class DelayStatistics {
 public:
  static constexpr std::size_t kKept = 64;  // latest observations of a worker

  // REQUIRES: workers >= 1.
  explicit DelayStatistics(std::uint32_t workers);

  std::uint32_t workers() const { return static_cast<std::uint32_t>(rings_.size()); }

  // False, and nothing is noted, if it says nothing: a time that is negative or not finite, or
  // communication alone, of a worker that has never computed. REQUIRES: worker < workers().
  bool note(std::uint32_t worker, const DelayObservation& observation);

  // Finds what each worker's computation costs beyond its samples (starting a kernel, loading):
  // else small loads look better than they are. Where only one load was asked for the last finding
  // stays. Cheap, but not for every step: once a stage and now and again.
  void fit();

  // The cost beyond samples counts as fixed, like communication. Where communication alone is known
  // computation is that of another of this worker's observations: which one, is up to `turn`.
  // REQUIRES: it was noted, or could be.
  DelaySplit split(std::uint32_t worker, const DelayObservation& observation,
                   std::size_t turn = 0) const;
  double start_seconds(std::uint32_t worker) const { return rings_[worker].start_seconds; }

  // The kept observations of a worker, the oldest first. REQUIRES: i < kept(worker).
  std::size_t kept(std::uint32_t worker) const { return rings_[worker].kept.size(); }
  const DelayObservation& observation(std::uint32_t worker, std::size_t i) const;

  // Nothing if nothing was noted. Sorts: for logs and timeouts, not for every step.
  std::optional<DelaySummary> summary(std::uint32_t worker) const;
  // How long a worker usually needs for a step: its own median or, as long as there is none, that
  // of all workers' medians. Who is silent for much longer is gone.
  std::optional<double> usual_seconds(std::uint32_t worker) const;

 private:
  struct Ring {
    std::vector<DelayObservation> kept;
    std::size_t next = 0;      // what is replaced next, once kKept are there
    DelayObservation last;     // of which computation is known
    double start_seconds = 0;  // found by fit()
  };

  std::optional<double> total_median(std::uint32_t worker) const;
  const DelayObservation& computed(const Ring& ring, std::size_t turn) const;

  std::vector<Ring> rings_;
  mutable std::vector<double> scratch_;
};

}  // namespace godwit
