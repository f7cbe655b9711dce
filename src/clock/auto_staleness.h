// clock/auto_staleness.h: finds how old reads may be from how long workers wait for each other and
// how much better they get. Pure: no time, no threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace godwit {

// When workers wait for more than a tenth of their time it is doubled, window after window, until
// they wait for half of that; then it is looked whether they really wait less than before. Now and
// then half of it is tried, which stays if they wait no more. What does not stay is taken back, and
// tried again later, and later. If workers get better much more slowly while it rises, that is
// taken back too; when they get worse it is halved.
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
    switch (phase_) {
      case Phase::kSteady:
        if (is_worse) {
          begin(Phase::kSteady, staleness_ / 2);
        } else {
          waits_.add(window.wait_share);
          if (!is_first) try_another(gain.value_or(0) / window.seconds, gain);
        }
        return;
      case Phase::kRising:
        if (is_worse || (gain && *gain / window.seconds < kGainLess * before_.gain_per_second)) {
          take_back(rise_);
        } else if (window.wait_share > kWaitLittle && staleness_ < kMax) {
          staleness_ = raised();
        } else {
          // Who may run further ahead does so first, and waits then: this window does not count.
          begin(Phase::kJudgingRise, staleness_);
        }
        return;
      case Phase::kJudgingRise:
      case Phase::kJudgingFall:
        if (is_worse) return take_back(phase_ == Phase::kJudgingRise ? rise_ : fall_);
        judge(window);
    }
  }

 private:
  static constexpr double kWaitMuch = 0.1;
  static constexpr double kWaitLittle = 0.05;
  static constexpr double kWaitLess = 0.7;   // of what it was
  static constexpr double kWaitSame = 1.25;  // likewise
  static constexpr double kGainLess = 0.5;   // likewise
  static constexpr double kGainFelt = 0.02;  // of the objective; less is noise
  static constexpr double kWorse = 0.05;     // likewise
  static constexpr int kToJudge = 5;         // windows
  static constexpr int kToTryLess = 8;       // likewise

  enum class Phase : std::uint8_t { kSteady, kRising, kJudgingRise, kJudgingFall };
  // How long something is not tried that did not work, in windows.
  struct Patience {
    int most = 64;
    int left = 0;
    int next = 1;
    void lose() {
      left = next;
      next = std::min(2 * next, most);
    }
  };
  // Mostly of the last windows.
  struct Mean {
    double value = 0;
    int count = 0;
    void add(double next) {
      count = std::min(count + 1, kToTryLess);
      value += (next - value) / count;
    }
  };
  struct Before {
    std::int64_t staleness = 0;
    Mean waits;
    double gain_per_second = 0;  // 0: not known
  };

  std::int64_t raised() const { return std::min(kMax, std::max<std::int64_t>(1, 2 * staleness_)); }

  // By which part of itself the objective has fallen since the last window.
  std::optional<double> gain_in(const Window& window) {
    const std::optional<double> before = std::exchange(objective_, window.objective);
    if (!before || !window.objective || *before <= 0 || *window.objective <= 0) return std::nullopt;
    return std::log(*before / *window.objective);
  }

  void begin(Phase phase, std::int64_t staleness) {
    phase_ = phase;
    staleness_ = staleness;
    waits_ = {};
  }

  void try_another(double gain_per_second, const std::optional<double>& gain) {
    rise_.left = std::max(0, rise_.left - 1);
    fall_.left = std::max(0, fall_.left - 1);
    const bool is_felt = gain.value_or(0) > kGainFelt;
    before_ = {staleness_, waits_, is_felt ? gain_per_second : 0};
    if (waits_.value > kWaitMuch && staleness_ < kMax && rise_.left == 0) {
      begin(Phase::kRising, raised());
    } else if (staleness_ > kFirst && waits_.count == kToTryLess && fall_.left == 0) {
      begin(Phase::kJudgingFall, staleness_ / 2);
    }
  }

  void judge(const Window& window) {
    const bool is_rise = phase_ == Phase::kJudgingRise;
    // Who was further ahead than is allowed now waits for that alone.
    if (!is_rise && !std::exchange(has_fallen_, true)) return;
    waits_.add(window.wait_share);
    if (waits_.count < kToJudge) return;
    const double limit = before_.waits.value * (is_rise ? kWaitLess : kWaitSame);
    has_fallen_ = false;
    if (waits_.value > limit) return take_back(is_rise ? rise_ : fall_);
    phase_ = Phase::kSteady;
    // It did not help to rise before, if less is as good.
    if (!is_rise) rise_.lose();
  }

  void take_back(Patience& patience) {
    phase_ = Phase::kSteady;
    staleness_ = before_.staleness;
    waits_ = before_.waits;
    has_fallen_ = false;
    patience.lose();
  }

  std::int64_t staleness_ = kFirst;
  Phase phase_ = Phase::kSteady;
  std::optional<double> objective_;
  Mean waits_;  // with the present staleness
  Before before_;
  Patience rise_;
  Patience fall_{.most = 16};
  bool has_fallen_ = false;
};

}  // namespace godwit
