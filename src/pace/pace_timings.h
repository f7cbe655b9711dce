// pace/pace_timings.h: all that is known of workers' times, fed by whoever runs steps and asked by
// policies. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "pace/delay_statistics.h"
#include "pace/load_ladder.h"
#include "pace/timing_table.h"

namespace godwit {

class PaceTimings {
 public:
  // All workers are live at first. REQUIRES: workers >= 1.
  PaceTimings(std::uint32_t workers, const LoadLadder& ladder,
              std::size_t steps = TimingTable::kSteps)
      : delays_(workers), table_(workers, ladder, steps), live_(workers, 1) {}

  std::uint32_t workers() const { return delays_.workers(); }
  const LoadLadder& ladder() const { return table_.ladder(); }
  const DelayStatistics& delays() const { return delays_; }
  // As of the last retime().
  const TimingTable& table() const { return table_; }

  // A worker's time in a step, also if the step did not wait for it. REQUIRES: worker < workers().
  void on_timing(std::uint64_t step, std::uint32_t worker, const DelayObservation& observation) {
    if (delays_.note(worker, observation)) table_.note(step, worker, observation);
  }

  // REQUIRES: worker < workers().
  void set_live(std::uint32_t worker, bool is_live) {
    GODWIT_CHECK_LT(worker, live_.size());
    live_[worker] = is_live ? 1 : 0;
  }
  bool is_live(std::uint32_t worker) const { return live_[worker] != 0; }
  std::uint32_t live() const {
    return static_cast<std::uint32_t>(std::ranges::count(live_, std::uint8_t{1}));
  }

  // Brings the table up to date.
  void retime() {
    delays_.fit();
    table_.rebuild(delays_, live_);
  }

 private:
  DelayStatistics delays_;
  TimingTable table_;
  std::vector<std::uint8_t> live_;
};

}  // namespace godwit
