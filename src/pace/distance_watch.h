// pace/distance_watch.h: has learning at the present step size and batch come to walking in
// circles? Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace godwit {

// While parameters travel, their squared distance from where they were grows like the number of
// steps squared; while they diffuse, like the number of steps; around a floor it does not grow at
// all (Pesme, Dieuleveut, Flammarion: "On Convergence-Diagnostic based Step Sizes"). It is measured
// 64, 80, 100, 125, ... steps after the reference. If its logarithm grows by less than 0.9 of that
// of the steps, since they were two thirds of what they are now or fewer, it fires. No constant of
// the problem is needed.
class DistanceWatch {
 public:
  static constexpr std::uint64_t kFirst = 64;
  static constexpr double kFactor = 1.25;
  static constexpr double kSpan = 1.5;
  static constexpr double kSlope = 0.9;

  DistanceWatch() { measured_.reserve(kMeasuredMax); }

  // A new reference is wanted from the next step on; what was measured is forgotten.
  void restart();
  // Nothing is wanted any more.
  void stop();

  bool is_running() const { return state_ != State::kStopped; }
  bool wants_reference() const { return state_ == State::kNoReference; }
  bool wants_distance(std::uint64_t step) const {
    return state_ == State::kRunning && step == due_;
  }

  // This step has begun: what was wanted in it was asked for. REQUIRES: steps come in order.
  void on_begin(std::uint64_t step);

  // True if it fires. Answers of before the restart are ignored, and such that come out of order.
  bool on_distance(std::uint64_t step, double squared);

 private:
  static constexpr std::size_t kMeasuredMax = 4;

  enum class State : std::uint8_t { kStopped, kNoReference, kRunning };
  struct Measured {
    std::uint64_t steps;  // after the reference
    double squared;
  };

  State state_ = State::kStopped;
  std::uint64_t reference_ = 0;  // the step
  double next_ = 0;              // steps after the reference, not rounded
  std::uint64_t due_ = 0;
  std::vector<Measured> measured_;  // the latest last
};

}  // namespace godwit
