// data/low_rank_test.cc: the generated matrix is what it says.
#include "data/low_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(LowRank, ValuesHaveUnitVarianceAndTheFloorIsTheNoise) {
  const LowRankData data = make_low_rank({.noise = 0.2});
  double squares = 0;
  for (const Rating& rating : data.train) {
    ASSERT_LT(rating.row, 4000u);
    ASSERT_LT(rating.column, 2000u);
    squares += double{rating.value} * double{rating.value};
  }
  EXPECT_NEAR(squares / static_cast<double>(data.train.size()), 1.04, 0.1);
  EXPECT_NEAR(data.noise_floor, 0.2, 0.002);
}

TEST(LowRank, OneSeedOneMatrix) {
  const LowRankSpec small{.ratings = 10, .held_out = 1};
  EXPECT_EQ(make_low_rank(small).train[9].value, make_low_rank(small).train[9].value);
  LowRankSpec other = small;
  other.seed = 2;
  EXPECT_NE(make_low_rank(small).train[9].value, make_low_rank(other).train[9].value);
}

TEST(LowRank, SenselessNumbersAreRefused) {
  EXPECT_THAT(LowRankSpec{.rows = 0}.validate().error().message(), testing::HasSubstr("0 x 2000"));
  EXPECT_THAT(LowRankSpec{.rank = 0}.validate().error().message(), testing::HasSubstr("rank is 0"));
  EXPECT_FALSE(LowRankSpec{.held_out = 0}.validate().ok());
  EXPECT_FALSE(LowRankSpec{.noise = -1}.validate().ok());
  EXPECT_TRUE(LowRankSpec{}.validate().ok());
}

}  // namespace
}  // namespace godwit
