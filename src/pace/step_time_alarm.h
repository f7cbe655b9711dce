// pace/step_time_alarm.h: do steps take as long as was predicted? Pure; not thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace godwit {

// Compares sums over stretches of 200 steps: single steps are random. An alarm means that the
// timing table does not know something: a queue at a link, times that depend on the load otherwise.
class StepTimeAlarm {
 public:
  static constexpr std::uint32_t kSteps = 200;
  static constexpr double kOffMax = 0.25;

  // Steps without a prediction do not count. True if a stretch ends with this step and is off.
  bool note(const std::optional<double>& predicted_seconds, double seconds) {
    if (!predicted_seconds) return false;
    predicted_ += *predicted_seconds;
    measured_ += seconds;
    if (++count_ < kSteps) return false;
    ratio_ = predicted_ > 0 ? measured_ / predicted_ : 1;
    predicted_ = measured_ = 0;
    count_ = 0;
    return is_alarming();
  }

  // Of the last whole stretch; 1 before.
  double ratio() const { return ratio_; }
  bool is_alarming() const { return std::abs(ratio_ - 1) > kOffMax; }

 private:
  double predicted_ = 0;
  double measured_ = 0;
  std::uint32_t count_ = 0;
  double ratio_ = 1;
};

}  // namespace godwit
