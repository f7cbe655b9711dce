// store/initial_row_test.cc: reproducible, and distributed as promised.
#include "store/initial_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace godwit {
namespace {

std::vector<float> row_of(const Init& init, Key key, std::size_t length) {
  std::vector<float> values(length);
  fill_initial(init, key, values);
  return values;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

Moments moments_of(const Init& init) {
  double sum = 0;
  double squares = 0;
  double largest = 0;
  constexpr int kRows = 5000;
  constexpr int kLength = 40;
  for (Key key = 0; key < kRows; ++key) {
    for (const double x : row_of(init, key, kLength)) {
      sum += x;
      squares += x * x;
      largest = std::max(largest, std::abs(x));
    }
  }
  constexpr double kCount = double{kRows} * kLength;
  const double mean = sum / kCount;
  return {mean, std::sqrt(squares / kCount - mean * mean), largest};
}

TEST(InitialRow, IsAFunctionOfSeedAndKey) {
  const Init init = Init::uniform(1, 7);
  EXPECT_EQ(row_of(init, 5, 9), row_of(init, 5, 9));
  EXPECT_NE(row_of(init, 5, 9), row_of(init, 6, 9));
  EXPECT_NE(row_of(init, 5, 9), row_of(Init::uniform(1, 8), 5, 9));
}

TEST(InitialRow, ALongerRowBeginsLikeAShorterOne) {
  const auto longer = row_of(Init::normal(1), 3, 11);
  const auto shorter = row_of(Init::normal(1), 3, 8);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(InitialRow, TheBitsNeverChange) {
  // Written down once: a job must be reproducible across versions and machines.
  EXPECT_EQ(row_of(Init::uniform(1, 1), 42, 3),
            (std::vector<float>{-0x1.45d40cp-1F, 0x1.efab44p-1F, 0x1.271738p-1F}));
  EXPECT_EQ(row_of(Init::normal(1, 1), 42, 3),
            (std::vector<float>{-0x1.d1264ap-1F, 0x1.12a686p+1F, 0x1.99a724p-1F}));
}

TEST(InitialRow, UniformHasItsWidth) {
  const Moments m = moments_of(Init::uniform(0.5F));
  EXPECT_NEAR(m.mean, 0, 0.003);
  EXPECT_NEAR(m.deviation, 0.5 / std::sqrt(3.0), 0.002);
  EXPECT_LE(m.largest, 0.5);
  EXPECT_GT(m.largest, 0.499);
}

TEST(InitialRow, NormalHasItsDeviation) {
  const Moments m = moments_of(Init::normal(2));
  EXPECT_NEAR(m.mean, 0, 0.02);
  EXPECT_NEAR(m.deviation, 2, 0.02);
  EXPECT_GT(m.largest, 2 * 3.9);
}

TEST(InitialRow, XavierRowsHaveUnitExpectedLength) {
  const Moments m = moments_of(Init::xavier(40));
  EXPECT_NEAR(m.deviation * std::sqrt(40.0), 1, 0.01);
}

TEST(NormalQuantile, MatchesTheNormalDistribution) {
  for (double x = -6; x <= 6; x += 0.25) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    EXPECT_NEAR(normal_quantile(p), x, 1e-9 + 1e-15 / (1 - p)) << x;
  }
}

}  // namespace
}  // namespace godwit
