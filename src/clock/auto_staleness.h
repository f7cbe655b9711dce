// clock/auto_staleness.h: finds how old reads may be from how long workers wait for each other and
// how much better they get. Pure: no time, no threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace godwit {

// While workers wait for more than a tenth of their time it is doubled, window after window. What
// came of it stays if they wait clearly less in the end than in the beginning; otherwise, and if
// they get better much more slowly on the way, all is taken back, and tried again later, and later.
// When they get worse it is halved.
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
    const bool is_first = window.objective && !objective_;  // how much it falls is not known yet
    const std::optional<double> gain = gain_in(window);
    const bool is_worse = gain && *gain < -kWorse;
    if (rise_) {
      go_on(window, gain, is_worse);
    } else if (is_worse) {
      put_off(staleness_ / 2);
    } else if (hold_ > 0) {
      --hold_;
    } else if (window.wait_share > kWaitMuch && staleness_ < kMax && !is_first) {
      const double felt = gain.value_or(0) > kGainFelt ? *gain : 0;
      rise_ = Rise{.from = staleness_,
                   .wait_share = window.wait_share,
                   .gain_per_second = felt / window.seconds};
      raise();
    }
  }

 private:
  static constexpr double kWaitMuch = 0.1;
  static constexpr double kWaitLess = 0.85;  // of what it was
  static constexpr double kGainLess = 0.5;   // of what it was
  static constexpr double kGainFelt = 0.02;  // of the objective; less is noise
  static constexpr double kWorse = 0.05;     // likewise
  static constexpr int kHoldMax = 64;

  // What was before it.
  struct Rise {
    std::int64_t from = 0;
    double wait_share = 0;
    double gain_per_second = 0;  // 0: not known
  };

  void raise() { staleness_ = std::min(kMax, std::max<std::int64_t>(1, 2 * staleness_)); }

  // By which part of itself the objective has fallen since the last window.
  std::optional<double> gain_in(const Window& window) {
    const std::optional<double> before = std::exchange(objective_, window.objective);
    if (!before || !window.objective || *before <= 0 || *window.objective <= 0) return std::nullopt;
    return std::log(*before / *window.objective);
  }

  void go_on(const Window& window, const std::optional<double>& gain, bool is_worse) {
    const bool gains_less = gain && *gain / window.seconds < kGainLess * rise_->gain_per_second;
    const bool is_over = window.wait_share <= kWaitMuch || staleness_ == kMax;
    if (is_worse || gains_less) {
      put_off(rise_->from);
    } else if (!is_over) {
      raise();
    } else if (window.wait_share <= kWaitLess * rise_->wait_share) {
      next_hold_ = 1;
      rise_.reset();
    } else {
      put_off(rise_->from);
    }
  }

  void put_off(std::int64_t staleness) {
    rise_.reset();
    staleness_ = staleness;
    hold_ = next_hold_;
    next_hold_ = std::min(2 * next_hold_, kHoldMax);
  }

  std::int64_t staleness_ = kFirst;
  std::optional<double> objective_;
  std::optional<Rise> rise_;
  int hold_ = 0;  // windows in which nothing is tried
  int next_hold_ = 1;
};

}  // namespace godwit
