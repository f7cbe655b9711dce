// group/costs_test.cc: which algorithm is chosen by made-up costs.
#include "group/costs.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

// Each alpha + beta * bytes.
Costs made_up() {
  Costs costs;
  constexpr std::array<double, 3> kAlpha{1e-6, 3e-6, 10e-6};
  constexpr std::array<double, 3> kBeta{3e-9, 2e-9, 1e-9};
  for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
    for (std::size_t i = 0; i < Costs::kSizes.size(); ++i) {
      costs.seconds[a][i] =
          static_cast<float>(kAlpha[a] + kBeta[a] * static_cast<double>(Costs::kSizes[i]));
    }
  }
  return costs;
}

TEST(Costs, AreInterpolated) {
  const Costs costs = made_up();
  EXPECT_NEAR(costs.seconds_of(Algorithm::kDoubling, 0), 1e-6 + 256 * 3e-9, 1e-12);
  EXPECT_NEAR(costs.seconds_of(Algorithm::kDoubling, 10'000), 1e-6 + 10'000 * 3e-9, 1e-10);
  EXPECT_NEAR(costs.seconds_of(Algorithm::kRing, 16U << 20), 2 * (10e-6 + 8388608e-9), 1e-8);
}

TEST(Costs, TheCheapestIsChosen) {
  const Costs costs = made_up();
  EXPECT_EQ(choose(costs, 4), Algorithm::kDoubling);
  EXPECT_EQ(choose(costs, 1900), Algorithm::kDoubling);
  EXPECT_EQ(choose(costs, 5000), Algorithm::kHalvingDoubling);
  EXPECT_EQ(choose(costs, 10'000), Algorithm::kRing);
  EXPECT_EQ(choose(costs, 64U << 20), Algorithm::kRing);
}

TEST(Costs, LongListsAreNotLaidIntoABuffer) {
  Costs costs = made_up();
  costs.seconds[static_cast<std::size_t>(Algorithm::kDoubling)].fill(1e-9F);
  EXPECT_EQ(choose(costs, Costs::kLaidBytesMax), Algorithm::kDoubling);
  EXPECT_EQ(choose(costs, Costs::kLaidBytesMax + 4), Algorithm::kRing);
}

}  // namespace
}  // namespace godwit
