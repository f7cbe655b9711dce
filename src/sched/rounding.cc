// sched/rounding.cc: Chernoff's bounds solved for the gain.
#include "sched/rounding.h"

#include <cmath>

#include "base/check.h"

namespace godwit {

double packing_gain(double rows, double width, double delta) {
  GODWIT_CHECK(rows >= 1 && width > 0 && delta > 0 && delta <= 1);
  const double k = 3 * std::log(3 * rows / delta) / (2 * width);
  // 1 + k - sqrt(k^2 + 2k), without the cancellation that large k bring.
  return 1 / (1 + k + std::sqrt(k * k + 2 * k));
}

double covering_gain(double rows, double width, double delta) {
  GODWIT_CHECK(rows >= 1 && width > 0 && delta > 0 && delta <= 1);
  const double k = std::log(3 * rows / delta) / width;
  return 1 + k + std::sqrt(k * k + 2 * k);
}

std::vector<int> round_randomly(std::span<const double> values, double gain, Prng& prng) {
  std::vector<int> rounded;
  rounded.reserve(values.size());
  for (const double value : values) {
    const double scaled = value * gain;
    const double down = std::floor(scaled);
    rounded.push_back(static_cast<int>(down) + (prng.uniform() < scaled - down ? 1 : 0));
  }
  return rounded;
}

}  // namespace godwit
