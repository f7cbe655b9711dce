// pace/exponential_model.cc: mu(k) = sum over i < k of the time during which exactly i have come.
#include "pace/exponential_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace godwit {
namespace {

// The chances that the sum of two exponential times is above and below z. REQUIRES: means >= 0,
// slow > 0, slow >= fast.
struct Chances {
  double above = 1;
  double below = 0;
};
Chances chances_at(double z, double slow, double fast) {
  const double decay = std::exp(-z / slow);
  if (fast == 0) return {decay, -std::expm1(-z / slow)};
  // (q e^(-az) - a e^(-qz)) / (q - a), without its cancellation at a = q.
  const double difference = 1 / fast - 1 / slow;
  const double lag = difference * z < 1e-12 ? z : -std::expm1(-difference * z) / difference;
  const double more = decay * lag / slow;
  return {decay + more, std::max(0.0, -std::expm1(-z / slow) - more)};
}

}  // namespace

ExponentialModel::ExponentialModel(std::uint32_t workers, double comm_mean, double compute_mean)
    : workers_(workers), comm_mean_(comm_mean), compute_mean_(compute_mean) {
  GODWIT_CHECK_GE(workers, 1U);
  GODWIT_CHECK(comm_mean >= 0 && compute_mean >= 0 && comm_mean + compute_mean > 0);
}

std::vector<double> ExponentialModel::order_means(double share) const {
  const double slow = std::max(comm_mean_, share * compute_mean_);
  const double fast = std::min(comm_mean_, share * compute_mean_);
  GODWIT_CHECK_GT(slow, 0.0);
  // With z = slow * e^u the integrand is smooth and vanishes at both ends, where the trapezoid rule
  // converges faster than any power.
  constexpr double kFrom = -32;
  constexpr double kTo = 5;
  constexpr int kPoints = 1480;
  constexpr double kWidth = (kTo - kFrom) / kPoints;
  const auto n = static_cast<std::size_t>(workers_);
  std::vector<double> means(n, 0.0);
  std::vector<double> choose(n);  // logarithms of binomial coefficients
  for (std::size_t i = 0; i < n; ++i) {
    choose[i] = std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                std::lgamma(static_cast<double>(n - i) + 1);
  }
  for (int point = 0; point <= kPoints; ++point) {
    const double z = slow * std::exp(kFrom + kWidth * point);
    const Chances chances = chances_at(z, slow, fast);
    const double above = std::log(chances.above);
    const double below = std::log(chances.below);
    if (!std::isfinite(above)) break;
    for (std::size_t i = 0; i < n; ++i) {
      const double come = i == 0 ? 0 : static_cast<double>(i) * below;
      means[i] += kWidth * z * std::exp(choose[i] + come + static_cast<double>(n - i) * above);
    }
  }
  for (std::size_t i = 1; i < n; ++i) means[i] += means[i - 1];
  return means;
}

double ExponentialModel::mu(std::uint32_t k, double share) const {
  GODWIT_CHECK(k >= 1 && k <= workers_);
  return order_means(share)[k - 1];
}

}  // namespace godwit
