// clock/auto_staleness.h: finds how old reads may be from how long workers wait for each other and
// how much better they get. Pure: no time, no threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace godwit {

// Twice as much is tried while workers wait for more than a tenth of their time. It stays if they
// wait clearly less then and do not get better much more slowly; otherwise it is taken back, and
// tried again later, and later. When they get worse it is halved.
class AutoStaleness {
 public:
  static constexpr std::int64_t kFirst = 1;
  static constexpr std::int64_t kMax = 16;

  // A stretch of many ticks.
  struct Window {
    double seconds = 0;
    double wait_share = 0;            // of the workers' time
    std::optional<double> objective;  // on the mean, if they say: the smaller the better
  };

  std::int64_t staleness() const { return staleness_; }

  // A window has ended: staleness() is for the next.
  void note(const Window& window) {
    const std::optional<double> gain = gain_in(window);
    if (trial_) {
      judge(window, gain);
    } else if (gain && *gain < -kWorse) {
      put_off(staleness_ / 2);
    }
    const double gain_per_second = gain.value_or(0) / window.seconds;
    if (hold_ > 0) {
      --hold_;
    } else if (window.wait_share > kWaitMuch && staleness_ < kMax) {
      trial_ = Trial{.from = staleness_,
                     .wait_share = window.wait_share,
                     .gain_per_second = gain.value_or(0) > kGainFelt ? gain_per_second : 0};
      staleness_ = std::min(kMax, std::max<std::int64_t>(1, 2 * staleness_));
    }
  }

 private:
  static constexpr double kWaitMuch = 0.1;
  static constexpr double kWaitLess = 0.85;  // of what it was
  static constexpr double kGainLess = 0.5;   // of what it was
  static constexpr double kGainFelt = 0.02;  // of the objective; less is noise
  static constexpr double kWorse = 0.05;     // likewise
  static constexpr int kHoldMax = 64;

  struct Trial {
    std::int64_t from = 0;
    double wait_share = 0;
    double gain_per_second = 0;  // 0: not known
  };

  // By which part of itself the objective has fallen since the last window.
  std::optional<double> gain_in(const Window& window) {
    const std::optional<double> before = std::exchange(objective_, window.objective);
    if (!before || !window.objective || *before <= 0 || *window.objective <= 0) return std::nullopt;
    return std::log(*before / *window.objective);
  }

  void judge(const Window& window, const std::optional<double>& gain) {
    const bool waits_less = window.wait_share <= kWaitLess * trial_->wait_share;
    const bool gains_less = gain && *gain / window.seconds < kGainLess * trial_->gain_per_second;
    if (waits_less && !gains_less) {
      next_hold_ = 1;
    } else {
      put_off(trial_->from);
    }
    trial_.reset();
  }

  void put_off(std::int64_t staleness) {
    staleness_ = staleness;
    hold_ = next_hold_;
    next_hold_ = std::min(2 * next_hold_, kHoldMax);
  }

  std::int64_t staleness_ = kFirst;
  std::optional<double> objective_;
  std::optional<Trial> trial_;
  int hold_ = 0;  // windows in which nothing is tried
  int next_hold_ = 1;
};

}  // namespace godwit
