// pace/distance_watch.cc: when to measure, and the slope between two measurements.
#include "pace/distance_watch.h"

#include <cmath>

namespace godwit {

void DistanceWatch::restart() {
  state_ = State::kNoReference;
  last_.reset();
}

void DistanceWatch::stop() {
  state_ = State::kStopped;
  last_.reset();
}

void DistanceWatch::on_begin(std::uint64_t step) {
  if (state_ == State::kNoReference) {
    state_ = State::kRunning;
    reference_ = step;
    next_ = static_cast<double>(kFirst);
    due_ = step + kFirst;
  } else if (state_ == State::kRunning && step >= due_) {
    next_ *= kFactor;
    due_ = reference_ + static_cast<std::uint64_t>(std::llround(next_));
  }
}

bool DistanceWatch::on_distance(std::uint64_t step, double squared) {
  if (state_ != State::kRunning || step <= reference_ || step > due_) return false;
  const Measured now{step - reference_, squared};
  if (last_ && now.steps <= last_->steps) return false;
  const std::optional<Measured> before = last_;
  last_ = now;
  if (!before || !(before->squared > 0) || !std::isfinite(squared)) return false;
  const double growth = std::log(squared / before->squared);
  const double steps =
      std::log(static_cast<double>(now.steps) / static_cast<double>(before->steps));
  return growth < kSlope * steps;
}

}  // namespace godwit
