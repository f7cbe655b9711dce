// data/planted_ctr_test.cc: shape and optimum of generated clicks.
#include "data/planted_ctr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <unordered_map>

namespace godwit {
namespace {

TEST(PlantedCtr, RowsHaveTheirFieldsAndPopularValues) {
  const SparseSet set = make_planted_ctr({.rows = 20'000, .held_out = 1000});
  ASSERT_EQ(set.train.size(), 20'000U);
  EXPECT_EQ(set.train.features.size(), 26U * 20'000U);
  EXPECT_EQ(set.train.values.size(), set.train.features.size());
  EXPECT_EQ(set.valid.size(), 1000U);
  std::unordered_map<std::uint64_t, int> counts;
  int most = 0;
  for (const std::uint64_t f : set.train.features) {
    ASSERT_LT(f, set.features);
    most = std::max(most, ++counts[f]);
  }
  EXPECT_GT(most, 8'000);
  EXPECT_GT(counts.size(), 20'000U);
}

TEST(PlantedCtr, TheOptimumIsBetterThanGuessing) {
  const SparseSet none = make_planted_ctr({.rows = 10, .held_out = 20'000, .signal = 0});
  EXPECT_NEAR(none.optimal_logloss, 0.5623, 0.01);  // entropy of 1/4
  EXPECT_EQ(none.optimal_auc, 0.5);
  const SparseSet some = make_planted_ctr({.rows = 10, .held_out = 20'000, .signal = 2});
  EXPECT_LT(some.optimal_logloss, 0.5);
  EXPECT_GT(some.optimal_auc, 0.75);
}

TEST(PlantedCtr, OneSeedOneSet) {
  const PlantedCtrSpec spec{.rows = 100, .held_out = 10};
  EXPECT_EQ(make_planted_ctr(spec).train.features, make_planted_ctr(spec).train.features);
  PlantedCtrSpec other = spec;
  other.seed = 2;
  EXPECT_NE(make_planted_ctr(spec).train.features, make_planted_ctr(other).train.features);
}

TEST(PlantedCtr, SenselessNumbersAreRefused) {
  EXPECT_TRUE(PlantedCtrSpec{}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.rows = 0}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.fields = 0}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.values_max = 3}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.zipf = -1}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.signal = std::nan("")}.validate().ok());
  EXPECT_FALSE(PlantedCtrSpec{.rate = 1}.validate().ok());
}

}  // namespace
}  // namespace godwit
