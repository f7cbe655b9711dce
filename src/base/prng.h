// base/prng.h: seeded random numbers that are the same on every platform and compiler.
// splitmix64 and mix64 are pure; a Prng is owned by one thread.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/check.h"

namespace godwit {

// The output of the published SplitMix64 generator whose state is `x`: a bijective scrambling of
// 64 bits. (The generator's next state is x + 0x9e3779b97f4a7c15.)
constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// A stateless random function of two numbers, for counter-based use: mix64(seed, key). For one `a`
// it is a bijection of `b`; mix64(a, b) and mix64(b, a) are unrelated.
constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  return splitmix64(splitmix64(a) ^ b);
}

// The upper 53 (24) bits as a number in [0, 1): every value is a multiple of 2^-53 (2^-24).
constexpr double unit_double(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}
constexpr float unit_float(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-24F;
}

// xoshiro256++ (Blackman and Vigna), seeded by SplitMix64 as its authors advise.
class Prng {
 public:
  using State = std::array<std::uint64_t, 4>;

  constexpr explicit Prng(std::uint64_t seed) : state_{} {
    for (std::uint64_t& word : state_) {
      word = splitmix64(seed);
      seed += 0x9e3779b97f4a7c15U;
    }
  }

  // Continues a generator whose state() was kept. REQUIRES: not all words zero.
  static constexpr Prng from_state(const State& state) {
    GODWIT_CHECK((state[0] | state[1] | state[2] | state[3]) != 0);
    Prng prng(0);
    prng.state_ = state;
    return prng;
  }
  constexpr const State& state() const { return state_; }

  // 64 uniform bits.
  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, n), without bias (Lemire 2019). REQUIRES: n > 0.
  constexpr std::uint64_t below(std::uint64_t n) {
    GODWIT_CHECK_GT(n, 0U);
    Wide product = static_cast<Wide>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(next()) * n;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [0, 1).
  constexpr double uniform() { return unit_double(next()); }
  constexpr float uniform_float() { return unit_float(next()); }

  // Standard normal, by the polar method. The second value of each pair is dropped, so that the
  // state is the four words and nothing else.
  double normal() {
    for (;;) {
      const double u = 2 * uniform() - 1;  // exact: no rounding, fused or not
      const double v = 2 * uniform() - 1;
      const double s = std::fma(u, u, v * v);
      if (s > 0 && s < 1) return u * std::sqrt(-2 * log_of(s) / s);
    }
  }

  // A child whose numbers have nothing to do with what this generator gives from now on.
  constexpr Prng split() {
    State child{};
    for (std::uint64_t& word : child) word = splitmix64(next());
    return from_state(child);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // Natural logarithm of a positive normal number, within a few units of the last place. Own code
  // because libm's last bit differs between platforms; every a * b + c is written as an fma (which
  // is exact by definition) because compilers fuse plain ones on some platforms only.
  static double log_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // Splits x = m * 2^e with m in [sqrt(1/2), sqrt(2)), so that nothing cancels near 1.
    const std::uint64_t shifted = bits - std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
    const double e = static_cast<double>(static_cast<std::int64_t>(shifted) >> 52);
    const auto m = std::bit_cast<double>((shifted & 0x000fffffffffffffU) +
                                         std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1));
    // log(m) = 2 atanh(f) = 2 f (1 + f^2/3 + f^4/5 + ...), and f^2 <= 0.0295.
    const double f = (m - 1) / (m + 1);
    const double f2 = f * f;
    double sum = 1.0 / 21;
    for (int k = 19; k >= 1; k -= 2) sum = std::fma(sum, f2, 1.0 / k);
    return std::fma(e, 0x1.62e42fefa39efp-1, 2 * f * sum);
  }

  State state_;
};

}  // namespace godwit
