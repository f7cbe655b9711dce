// pace/loss_guard.h: does the loss rise again? Then the batch is too small for the step size.
// Pure; not thread-safe.
#pragma once

#include <cmath>
#include <cstdint>

namespace godwit {

// Fires when the smoothed loss is three times the lowest that it was, or is not a number. Smoothing
// lags behind, so what was done about it may not be enough: it fires again at one and a half times
// that loss, unless it has fallen by as much before. Losses that fall to zero
// or below have no scale; of those only what is not a number fires.
class LossGuard {
 public:
  static constexpr double kSmooth = 0.98;
  static constexpr double kRise = 3;
  static constexpr double kRiseAgain = 1.5;

  // True if it fires.
  bool note(double loss) {
    if (!std::isfinite(loss)) return true;
    // The mean of all at first: the very first loss of a small batch says little.
    weight_ = kSmooth * weight_ + 1;
    smooth_ += (loss - smooth_) / weight_;
    ++count_;
    if (count_ == 1 || smooth_ < lowest_) lowest_ = smooth_;
    if (kRiseAgain * smooth_ < fired_) fired_ = 0;
    if (lowest_ <= 0 || smooth_ <= (fired_ > 0 ? kRiseAgain : kRise) * lowest_) return false;
    lowest_ = fired_ = smooth_;
    return true;
  }

  double smooth() const { return smooth_; }
  double lowest() const { return lowest_; }

 private:
  double smooth_ = 0;
  double weight_ = 0;
  double lowest_ = 0;
  double fired_ = 0;  // the loss at which it did, until it has fallen
  std::uint64_t count_ = 0;
};

}  // namespace godwit
