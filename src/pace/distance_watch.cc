// pace/distance_watch.cc: when to measure, and the slope between two measurements.
#include "pace/distance_watch.h"

#include <algorithm>
#include <cmath>

namespace godwit {

void DistanceWatch::restart() {
  state_ = State::kNoReference;
  measured_.clear();
}

void DistanceWatch::stop() {
  state_ = State::kStopped;
  measured_.clear();
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
  if (!(squared > 0) || !std::isfinite(squared)) return false;
  const Measured now{step - reference_, squared};
  if (!measured_.empty() && now.steps <= measured_.back().steps) return false;
  const auto steps = static_cast<double>(now.steps);
  const auto before = std::find_if(measured_.rbegin(), measured_.rend(), [&](const Measured& m) {
    return static_cast<double>(m.steps) * kSpan <= steps;
  });
  const bool fires = before != measured_.rend() &&
                     std::log(squared / before->squared) <
                         kSlope * std::log(steps / static_cast<double>(before->steps));
  if (measured_.size() == kMeasuredMax) measured_.erase(measured_.begin());
  measured_.push_back(now);
  return fires;
}

}  // namespace godwit
