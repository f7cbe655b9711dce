// data/low_rank_test.cc: the generated matrix is what it says.
#include "data/low_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

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

TEST(LowRank, PopularColumnsMeanAndBiasesAreAdded) {
  const Ratings ratings = make_low_rank_ratings({.zipf = 1, .mean = 5, .biases = 0.5});
  std::vector<int> counts(ratings.columns);
  double sum = 0;
  double squares = 0;
  for (const Rating& rating : ratings.train) {
    ++counts[rating.column];
    sum += double{rating.value};
  }
  const auto size = static_cast<double>(ratings.train.size());
  for (const Rating& rating : ratings.train) {
    const double off = double{rating.value} - sum / size;
    squares += off * off;
  }
  std::ranges::sort(counts, std::greater<>());
  EXPECT_NEAR(counts[0], 1'000'000 / 8.18, 2'000);  // 1 / (1 + 1/2 + ... + 1/2000)
  EXPECT_NEAR(counts[0] / counts[9], 10, 1);
  EXPECT_NEAR(sum / size, 5, 0.3);
  EXPECT_NEAR(squares / size, 1.5, 0.3);
  EXPECT_EQ(ratings.test.size(), 100'000U);
  EXPECT_EQ(ratings.valid.size(), 100'000U);
}

TEST(LowRank, TheSetForTrainersHasTheSameEntries) {
  const LowRankSpec spec{.ratings = 100, .held_out = 10};
  const LowRankData data = make_low_rank(spec);
  const Ratings ratings = make_low_rank_ratings(spec);
  EXPECT_EQ(ratings.train[99].value, data.train[99].value);
  EXPECT_EQ(ratings.test[9].value, data.held_out[9].value);
  EXPECT_EQ(ratings.noise_floor, data.noise_floor);
}

TEST(LowRank, SenselessNumbersAreRefused) {
  EXPECT_THAT(LowRankSpec{.rows = 0}.validate().error().message(), testing::HasSubstr("0 x 2000"));
  EXPECT_THAT(LowRankSpec{.rank = 0}.validate().error().message(), testing::HasSubstr("rank is 0"));
  EXPECT_FALSE(LowRankSpec{.held_out = 0}.validate().ok());
  EXPECT_FALSE(LowRankSpec{.noise = -1}.validate().ok());
  EXPECT_FALSE(LowRankSpec{.zipf = -1}.validate().ok());
  EXPECT_FALSE(LowRankSpec{.biases = -1}.validate().ok());
  EXPECT_TRUE(LowRankSpec{}.validate().ok());
}

}  // namespace
}  // namespace godwit
