// data/zipf.h: numbers with Zipf popularity, without tables, for any size. Immutable.
#pragma once

#include <cstdint>

#include "base/prng.h"

namespace godwit {

// Draws k in [0, n) with weight (k + 1)^-exponent, by rejection from the integral of the weights
// (Hoermann and Derflinger 1996); about one try a draw.
class Zipf {
 public:
  // REQUIRES: n > 0, exponent >= 0 and finite.
  Zipf(std::uint64_t n, double exponent);

  std::uint64_t draw(Prng& prng) const;
  // (k + 1)^-exponent, not normalised.
  double weight(std::uint64_t k) const;
  std::uint64_t size() const { return n_; }

 private:
  double integral(double x) const;
  double inverse_integral(double y) const;

  std::uint64_t n_;
  double exponent_;
  double low_;   // integral at the lower end of k = 1, shifted so that k = 1 is always taken
  double high_;  // integral at n + 1/2
  double sure_;  // a draw that lies so near to its integer needs no test
};

// A bijection of [0, n) that leaves no neighbours together: where the popular ones go.
// REQUIRES: k < n < 2^32.
class Scatter {
 public:
  Scatter(std::uint64_t n, std::uint64_t seed);
  std::uint64_t operator()(std::uint64_t k) const { return (k * factor_ + shift_) % n_; }

 private:
  std::uint64_t n_;
  std::uint64_t factor_;
  std::uint64_t shift_;
};

}  // namespace godwit
