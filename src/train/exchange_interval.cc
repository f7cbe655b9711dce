// train/exchange_interval.cc: from times to a number of steps.
#include "train/exchange_interval.h"

#include <algorithm>
#include <cmath>

namespace godwit {

void ExchangeInterval::on_exchange(double seconds) {
  exchanges_.add(seconds);
  const double step = steps_.median();
  if (step <= 0) return;
  // e / (e + H s) <= share. One slow exchange is no reason to jump: medians, and at most fourfold.
  const double needed = exchanges_.median() / step * (1 - kShareAim) / kShareAim;
  const double most = std::min(static_cast<double>(kStepsMax), 4 * static_cast<double>(found_));
  found_ = static_cast<std::int64_t>(std::clamp(std::ceil(needed), 1.0, most));
}

}  // namespace godwit
