// data/zipf_test.cc: drawn shares against the weights.
#include "data/zipf.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace godwit {
namespace {

class Exponents : public testing::TestWithParam<double> {};

TEST_P(Exponents, SharesAreTheWeights) {
  constexpr std::uint64_t kSize = 20;
  constexpr int kDraws = 400'000;
  const Zipf zipf(kSize, GetParam());
  Prng prng(1);
  std::vector<double> counts(kSize);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) counts.at(zipf.draw(prng)) += 1;
  for (std::uint64_t k = 0; k < kSize; ++k) sum += zipf.weight(k);
  for (std::uint64_t k = 0; k < kSize; ++k) {
    const double wanted = kDraws * zipf.weight(k) / sum;
    EXPECT_NEAR(counts[k], wanted, 5 * std::sqrt(wanted) + 1) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exponents, testing::Values(0, 0.5, 1, 1.3, 3));

TEST(Zipf, OneAndVeryManyAreDrawn) {
  Prng prng(1);
  EXPECT_EQ(Zipf(1, 1.2).draw(prng), 0U);
  const Zipf huge(1'000'000'000'000, 0.9);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(huge.draw(prng), huge.size());
}

TEST(Zipf, ScatteringIsABijection) {
  for (const std::uint64_t n : {1U, 2U, 6U, 97U, 1000U}) {
    const Scatter scatter(n, n);
    std::set<std::uint64_t> seen;
    for (std::uint64_t k = 0; k < n; ++k) seen.insert(scatter(k));
    EXPECT_EQ(seen.size(), n);
    EXPECT_LT(*seen.rbegin(), n);
  }
}

}  // namespace
}  // namespace godwit
