// group/costs_test.cc: which algorithm is chosen by made-up costs.
#include "group/costs.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

// alpha + beta * bytes.
Costs straight(double alpha, double beta) {
  Costs costs;
  for (std::size_t i = 0; i < Costs::kSizes.size(); ++i) {
    costs.exchange[i] = static_cast<float>(alpha + beta * static_cast<double>(Costs::kSizes[i]));
  }
  costs.ring_seconds_per_byte = static_cast<float>(1.5 * beta);
  return costs;
}

TEST(Costs, AreInterpolated) {
  const Costs costs = straight(1e-6, 1e-9);
  EXPECT_NEAR(costs.exchange_seconds(0), 1.064e-6, 1e-12);
  EXPECT_NEAR(costs.exchange_seconds(2048), 1e-6 + 2048e-9, 1e-11);
  EXPECT_NEAR(costs.exchange_seconds(4U << 20), 4 * (1e-6 + 1048576e-9), 1e-8);
}

TEST(Costs, ShortListsDoubleAndLongOnesGoAroundTheRing) {
  const Costs costs = straight(1e-6, 1e-9);
  EXPECT_EQ(choose(costs, 8, 64), Algorithm::kDoubling);
  EXPECT_EQ(choose(costs, 8, 20'000), Algorithm::kHalvingDoubling);
  EXPECT_EQ(choose(costs, 8, 64U << 20), Algorithm::kRing);
  EXPECT_EQ(choose(costs, 2, 64), Algorithm::kDoubling);
}

TEST(Costs, ManyRanksThatAreNoPowerOfTwoPayForIt) {
  const Costs costs = straight(1e-6, 1e-9);
  EXPECT_GT(cost_of(costs, Algorithm::kDoubling, 5, 1000),
            cost_of(costs, Algorithm::kDoubling, 4, 1000));
}

}  // namespace
}  // namespace godwit
