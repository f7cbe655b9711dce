// data/zipf.cc: the weights' integral has a closed form; a draw from it is corrected by rejection.
#include "data/zipf.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace godwit {

namespace {

// (exp(x t) - 1) / x without loss near x = 0.
double expm1_over(double x, double t) {
  return std::abs(x) < 1e-9 ? t : std::expm1(x * t) / x;
}

// log(1 + x y) / x, its inverse.
double log1p_over(double x, double y) {
  return std::abs(x) < 1e-9 ? y : std::log1p(x * y) / x;
}

}  // namespace

Zipf::Zipf(std::uint64_t n, double exponent) : n_(n), exponent_(exponent) {
  GODWIT_CHECK_GT(n, 0U);
  GODWIT_CHECK(exponent >= 0 && std::isfinite(exponent));
  low_ = integral(1.5) - 1;
  high_ = integral(static_cast<double>(n) + 0.5);
  sure_ = 2 - inverse_integral(integral(2.5) - std::pow(2.0, -exponent));
}

// Of x^-exponent, from 1.
double Zipf::integral(double x) const {
  return expm1_over(1 - exponent_, std::log(x));
}

double Zipf::inverse_integral(double y) const {
  return std::exp(log1p_over(1 - exponent_, y));
}

double Zipf::weight(std::uint64_t k) const {
  return std::pow(static_cast<double>(k) + 1, -exponent_);
}

std::uint64_t Zipf::draw(Prng& prng) const {
  if (exponent_ == 0) return prng.below(n_);
  for (;;) {
    const double u = high_ + prng.uniform() * (low_ - high_);
    const double x = inverse_integral(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(n_));
    if (k - x <= sure_ || u >= integral(k + 0.5) - std::pow(k, -exponent_)) {
      return static_cast<std::uint64_t>(k) - 1;
    }
  }
}

Scatter::Scatter(std::uint64_t n, std::uint64_t seed) : n_(n) {
  GODWIT_CHECK_GT(n, 0U);
  GODWIT_CHECK_LE(n, std::uint64_t{1} << 32);
  Prng prng(seed);
  do {
    factor_ = 1 + prng.below(n);
  } while (std::gcd(factor_, n) != 1);
  shift_ = prng.below(n);
}

}  // namespace godwit
