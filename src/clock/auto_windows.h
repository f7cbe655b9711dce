// clock/auto_windows.h: what workers of a node do in stretches of many ticks, for who finds out how
// old reads may be. Pure: time comes from outside.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_source.h"
#include "clock/auto_staleness.h"
#include "godwit/ids.h"

namespace godwit {

class AutoWindows {
 public:
  struct Change {
    Tick tick;
    std::int64_t staleness = 0;  // from that tick on
  };

  std::int64_t staleness() const { return finder_.staleness(); }
  // The latest changes, in order.
  const std::vector<Change>& changes() const { return changes_; }

  void note_wait(Duration waited) { waited_ += waited; }
  void note_objective(double value) {
    objectives_ += value;
    ++reports_;
  }
  // One of `workers` workers begins a tick. True if staleness() has changed.
  bool note_tick(Tick tick, std::size_t workers, Time now) {
    if (ticks_++ == 0) begun_ = now;
    const std::chrono::duration<double> passed = now - begun_;
    if (ticks_ < kTicksMin * workers || passed < kTimeMin) return false;
    const std::chrono::duration<double> waited = waited_;
    AutoStaleness::Window window{.seconds = passed.count(),
                                 .wait_share = waited / (passed * static_cast<double>(workers))};
    if (reports_ > 0) window.objective = objectives_ / static_cast<double>(reports_);
    const std::int64_t before = staleness();
    finder_.note(window);
    ticks_ = reports_ = 0;
    waited_ = Duration::zero();
    objectives_ = 0;
    if (staleness() == before) return false;
    if (changes_.size() == kChangesMax) changes_.erase(changes_.begin());
    changes_.push_back({tick, staleness()});
    return true;
  }

 private:
  // Of a worker: enough for some that are slow now and then to be met.
  static constexpr std::size_t kTicksMin = 40;
  static constexpr std::chrono::milliseconds kTimeMin{100};
  static constexpr std::size_t kChangesMax = 32;

  AutoStaleness finder_;
  std::vector<Change> changes_{{Tick{0}, AutoStaleness::kFirst}};
  Time begun_;
  std::size_t ticks_ = 0;
  Duration waited_{};
  double objectives_ = 0;
  std::size_t reports_ = 0;
};

}  // namespace godwit
