// pace/timing_table.h: how long a step takes that waits for k workers with a load, by what they
// needed in the latest steps. Pure; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pace/delay_statistics.h"
#include "pace/load_ladder.h"

namespace godwit {

// mu(k, load) is the mean over the latest steps of the k-th smallest of all workers' times, each
// scaled to the load: no model of delays, so tails and slow workers are in it as they are. The
// times of workers that were not waited for belong in it too: without them it is far too low (by
// 64-73 % at 2k for exponential times).
//
// A worker without an observation in a step (it has not reported yet, was still busy with an
// earlier step, or its report was lost) gets one of its own latest ones there, another in each
// step: times of one worker in different steps are taken to be independent, as everywhere here, and
// drawing from its own keeps the slow slow. One that was never observed gets the times of others.
class TimingTable {
 public:
  static constexpr std::size_t kSteps = 60;

  // REQUIRES: workers >= 1; steps >= 1.
  TimingTable(std::uint32_t workers, LoadLadder ladder, std::size_t steps = kSteps);

  const LoadLadder& ladder() const { return ladder_; }

  // In any order of steps: reports of late workers come late. Reports of steps that have left the
  // ring are ignored. REQUIRES: worker < workers; `delays` of rebuild() has noted the same.
  void note(std::uint64_t step, std::uint32_t worker, const DelayObservation& observation);

  // Computes the table anew for the workers with live[worker] != 0; `delays` has seen the same
  // observations, and been fitted. 0.4 ms for 50 workers, 60 steps and 7 loads.
  void rebuild(const DelayStatistics& delays, std::span<const std::uint8_t> live);

  // Workers that the table was computed for; 0 before, or if nothing was noted.
  std::uint32_t live() const { return live_; }

  // Mean seconds of a step. REQUIRES: 1 <= k <= live(), rung < ladder().size().
  double mu(std::uint32_t k, std::size_t rung) const;
  // The same for any load, between rungs in proportion. Nothing if there are fewer live workers.
  std::optional<double> seconds(std::uint32_t k, double load) const;

 private:
  // What each live worker needs in a step of the ring, into fixed_ and sample_.
  void gather(std::size_t row, const DelayStatistics& delays, std::span<const std::uint8_t> live);

  LoadLadder ladder_;
  std::size_t workers_;
  std::vector<std::uint64_t> steps_;    // of the rows of the ring; kNone: empty
  std::vector<DelayObservation> seen_;  // steps_.size() x workers_
  std::uint32_t live_ = 0;
  std::vector<double> mu_;  // ladder_.size() x workers_
  std::vector<double> fixed_;
  std::vector<double> sample_;
  std::vector<double> times_;
};

}  // namespace godwit
