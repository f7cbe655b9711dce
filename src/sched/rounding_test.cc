// sched/rounding_test.cc: means and violations of randomized rounding.
#include "sched/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numeric>

namespace godwit {
namespace {

TEST(Rounding, HasTheScaledValueAsItsMean) {
  Prng prng(3);
  const std::vector<double> values{0.2, 1.7, 3.0, 0.05};
  const double gain = 0.8;
  constexpr int kTrials = 40'000;
  std::vector<double> sums(values.size(), 0);
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<int> rounded = round_randomly(values, gain, prng);
    for (std::size_t j = 0; j < values.size(); ++j) sums[j] += rounded[j];
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double scaled = gain * values[j];
    const double fraction = scaled - std::floor(scaled);
    const double sigma = std::sqrt(fraction * (1 - fraction) / kTrials);
    EXPECT_NEAR(sums[j] / kTrials, scaled, 3 * sigma + 1e-12);
    std::cout << "mean " << sums[j] / kTrials << " of " << scaled << ", sigma " << sigma << "\n";
  }
}

TEST(Rounding, GainsAreTheRootsOfTheirEquations) {
  for (const double width : {1.0, 4.0, 30.0, 1000.0}) {
    const double k = 3 * std::log(3 * 50 / 0.5) / (2 * width);
    EXPECT_NEAR(packing_gain(50, width, 0.5), 1 + k - std::sqrt(k * k + 2 * k), 1e-9);
    EXPECT_GT(packing_gain(50, width, 0.5), 0);
    EXPECT_LE(packing_gain(50, width, 0.5), 1);
    EXPECT_GT(covering_gain(2, width, 0.5), 1);
  }
  EXPECT_LT(packing_gain(401, 2, 0.5), 0.12) << "small machines: next to nothing is rounded up";
}

// 200 variables of 0.5 each: rows hold as often as the bounds promise, and G = 1 breaks them.
TEST(Rounding, ViolationsStayBelowTheBoundTheyWereMadeFor) {
  Prng prng(11);
  const std::vector<double> values(200, 0.5);
  const double delta = 0.5;
  const double packing = packing_gain(1, 100, delta);
  const double covering = covering_gain(1, 100, delta);
  int packed = 0;
  int covered = 0;
  int plain = 0;
  constexpr int kTrials = 3000;
  const auto sum_of = [&](double gain) {
    const std::vector<int> rounded = round_randomly(values, gain, prng);
    return std::accumulate(rounded.begin(), rounded.end(), 0);
  };
  for (int i = 0; i < kTrials; ++i) {
    packed += sum_of(packing) > 100 ? 1 : 0;
    covered += sum_of(covering) < 100 ? 1 : 0;
    plain += sum_of(1) > 100 ? 1 : 0;
  }
  std::cout << "of " << kTrials << " broken: packing " << packed << ", covering " << covered
            << ", both allowed " << kTrials * delta / 3 << "; packing with G = 1 " << plain << "\n";
  EXPECT_LE(packed, kTrials * delta / 3);
  EXPECT_LE(covered, kTrials * delta / 3);
  EXPECT_GT(plain, kTrials / 3);
}

}  // namespace
}  // namespace godwit
