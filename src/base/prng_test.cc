// base/prng_test.cc: published vectors, fixed results, and shapes of the distributions.
#include "base/prng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace godwit {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

// Sum of (seen - expected)^2 / expected over equally likely bins.
double chi_square(const std::vector<std::uint64_t>& seen) {
  std::uint64_t total = 0;
  for (const std::uint64_t n : seen) total += n;
  const double expected = static_cast<double>(total) / static_cast<double>(seen.size());
  double sum = 0;
  for (const std::uint64_t n : seen) {
    const double off = static_cast<double>(n) - expected;
    sum += off * off / expected;
  }
  return sum;
}

TEST(Splitmix64, GivesThePublishedSequence) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(splitmix64(kGolden), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(splitmix64(2 * kGolden), 0x06c45d188009454fU);
  EXPECT_EQ(splitmix64(1234567), 6457827717110365317U);
  EXPECT_EQ(splitmix64(1234567 + kGolden), 3203168211198807973U);
}

TEST(Mix64, IsFixedAndNotSymmetric) {
  EXPECT_EQ(mix64(1, 2), splitmix64(splitmix64(1) ^ 2));
  EXPECT_NE(mix64(1, 2), mix64(2, 1));
}

TEST(Mix64, FlipsHalfOfTheBitsWhenOneInputBitFlips) {
  for (int bit = 0; bit < 64; ++bit) {
    int flips_a = 0;
    int flips_b = 0;
    for (std::uint64_t i = 0; i < 256; ++i) {
      flips_a += std::popcount(mix64(i, i + 1) ^ mix64(i ^ (1ULL << bit), i + 1));
      flips_b += std::popcount(mix64(i, i + 1) ^ mix64(i, (i + 1) ^ (1ULL << bit)));
    }
    EXPECT_NEAR(flips_a / 256.0, 32, 1.5) << "bit " << bit;
    EXPECT_NEAR(flips_b / 256.0, 32, 1.5) << "bit " << bit;
  }
}

TEST(Prng, GivesThePublishedSequenceOfXoshiro) {
  Prng prng = Prng::from_state({1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041UL, 58720359UL, 3588806011781223U, 3591011842654386U, 9228616714210784205U,
        9973669472204895162U, 14011001112246962877U, 12406186145184390807U, 15849039046786891736U,
        10450023813501588000U}) {
    EXPECT_EQ(prng.next(), expected);
  }
}

TEST(Prng, IsSeededBySplitmix) {
  constexpr std::uint64_t kFirst = Prng(42).next();
  EXPECT_EQ(kFirst, 0xd0764d4f4476689fU);
  EXPECT_EQ(Prng(42).state()[3], splitmix64(42 + 3 * kGolden));
}

TEST(Prng, ContinuesFromAKeptState) {
  Prng prng(9);
  prng.normal();
  Prng copy = Prng::from_state(prng.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(copy.normal(), prng.normal());
}

TEST(PrngDeathTest, RefusesWhatItCannotDo) {
  EXPECT_DEATH((void)Prng::from_state({0, 0, 0, 0}), "check failed");
  EXPECT_DEATH((void)Prng(1).below(0), "n > 0");
}

TEST(Prng, BelowReachesEveryValueEvenly) {
  Prng prng(1);
  std::vector<std::uint64_t> seen(17);
  for (int i = 0; i < 170'000; ++i) ++seen.at(prng.below(seen.size()));
  EXPECT_LT(chi_square(seen), 45);  // 16 degrees of freedom: above 45 once in 7,000 seeds
}

// With n = 3 * 2^62 a plain multiply-and-shift gives every third value twice as often.
TEST(Prng, BelowHasNoBiasForHugeRanges) {
  Prng prng(2);
  std::vector<std::uint64_t> seen(3);
  for (int i = 0; i < 30'000; ++i) ++seen.at(prng.below(3ULL << 62) % 3);
  EXPECT_LT(chi_square(seen), 18);
  EXPECT_EQ(Prng(3).below(1), 0U);
}

TEST(Prng, UniformFillsTheUnitIntervalAndStaysBelowOne) {
  EXPECT_EQ(unit_double(0), 0);
  EXPECT_LT(unit_double(~0ULL), 1);
  EXPECT_LT(unit_float(~0ULL), 1.0F);
  Prng prng(4);
  std::vector<std::uint64_t> doubles(64);
  std::vector<std::uint64_t> floats(64);
  for (int i = 0; i < 64'000; ++i) {
    ++doubles.at(static_cast<std::size_t>(prng.uniform() * 64));
    ++floats.at(static_cast<std::size_t>(prng.uniform_float() * 64));
  }
  EXPECT_LT(chi_square(doubles), 120);  // 63 degrees of freedom
  EXPECT_LT(chi_square(floats), 120);
}

TEST(Prng, NormalHasTheRightShape) {
  Prng prng(5);
  // Quartile and tail limits of the standard normal distribution.
  const std::vector<double> limits = {-1.6448536, -0.6744898, 0, 0.6744898, 1.6448536};
  const std::vector<double> shares = {0.05, 0.20, 0.25, 0.25, 0.20, 0.05};
  std::vector<double> seen(shares.size());
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = prng.normal();
    sum += x;
    squares += x * x;
    std::size_t bin = 0;
    while (bin < limits.size() && x >= limits[bin]) ++bin;
    seen[bin] += 1;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
  double chi = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double expected = shares[i] * kDraws;
    chi += (seen[i] - expected) * (seen[i] - expected) / expected;
  }
  EXPECT_LT(chi, 25);
}

// The same on every compiler and flag: a change of this number breaks every stored seed.
TEST(Prng, NormalIsTheSameEverywhere) {
  Prng prng(6);
  std::uint64_t hash = 0;
  for (int i = 0; i < 10'000; ++i) hash = mix64(hash, std::bit_cast<std::uint64_t>(prng.normal()));
  EXPECT_EQ(hash, 3559347166349015628U);
}

TEST(Prng, NormalAgreesWithTheLibraryLogarithm) {
  Prng prng(7);
  for (int i = 0; i < 1000; ++i) {
    Prng copy = Prng::from_state(prng.state());
    const double x = prng.normal();
    double u = 0;
    double s = 0;
    do {
      u = 2 * copy.uniform() - 1;
      const double v = 2 * copy.uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double expected = u * std::sqrt(-2 * std::log(s) / s);
    EXPECT_NEAR(x, expected, 1e-14 * (1 + std::abs(expected)));
  }
}

TEST(Prng, ASplitChildIsIndependent) {
  Prng parent(8);
  Prng first = parent.split();
  Prng second = parent.split();
  int same_bits = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = first.next();
    const std::uint64_t b = second.next();
    const std::uint64_t c = parent.next();
    same_bits += std::popcount(~(a ^ b)) + std::popcount(~(a ^ c)) + std::popcount(~(b ^ c));
  }
  EXPECT_NEAR(same_bits / 3000.0, 32, 0.5);
}

}  // namespace
}  // namespace godwit
