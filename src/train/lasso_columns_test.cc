// train/lasso_columns_test.cc: steps against the conditions that the minimum meets.
#include "train/lasso_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "data/sparse_linear.h"

namespace godwit {
namespace {

TEST(SoftThreshold, PullsToZeroAndStopsThere) {
  EXPECT_EQ(soft_threshold(3, 1), 2);
  EXPECT_EQ(soft_threshold(-3, 1), -2);
  EXPECT_EQ(soft_threshold(0.5, 1), 0);
  EXPECT_EQ(soft_threshold(-1, 1), 0);
  EXPECT_EQ(soft_threshold(0.5, 0), 0.5);
}

TEST(LassoColumns, TurnRowsAround) {
  SparseRows rows;
  rows.features = {7, 900, 7};
  rows.values = {2, 3, 4};
  rows.begins = {0, 2, 3};
  rows.labels = {1, 3};
  const LassoColumns columns = make_lasso_columns(rows);
  EXPECT_EQ(columns.features, (std::vector<std::uint64_t>{7, 900}));
  ASSERT_EQ(columns.size(), 3U);
  ASSERT_EQ(columns.of(0).size(), 2U);
  EXPECT_EQ(columns.of(0)[1].example, 1U);
  EXPECT_EQ(columns.of(0)[1].value, 4);
  EXPECT_EQ(columns.squares[0], 20);
  EXPECT_EQ(columns.of(columns.intercept()).size(), 2U);
  EXPECT_EQ(columns.mean, 2);
  EXPECT_EQ(columns.labels, (std::vector<float>{-1, 1}));
  EXPECT_EQ(lasso_penalty_max(columns), 3) << "of 900: 3 * -1; of 7: 2 * -1 + 4 * 1";
}

SparseLinearData small_data() {
  return make_sparse_linear(
      {.rows = 600, .held_out = 300, .features = 60, .per_row = 8, .support = 6, .noise = 0.2});
}

TEST(LassoColumns, DescentEndsWhereNoSlopeIsLeft) {
  const LassoColumns columns = make_lasso_columns(small_data().set.train);
  const double penalty = 0.05 * lasso_penalty_max(columns);
  std::vector<double> weights;
  std::vector<float> fitted;
  descend_plainly(columns, penalty, 200, weights, fitted);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    double slope = 0;
    for (const LassoEntry& entry : columns.of(column)) {
      slope += double{entry.value} *
               (double{columns.labels[entry.example]} - double{fitted[entry.example]});
    }
    if (column == columns.intercept()) {
      EXPECT_NEAR(slope, 0, 1e-3 * penalty);
    } else if (weights[column] != 0) {
      EXPECT_NEAR(slope, std::copysign(penalty, weights[column]), 1e-3 * penalty) << column;
    } else {
      EXPECT_LE(std::abs(slope), penalty * 1.001) << column;
    }
  }
}

TEST(LassoColumns, LargestPenaltyLeavesNoWeight) {
  const LassoColumns columns = make_lasso_columns(small_data().set.train);
  for (const double share : {1.01, 0.9}) {
    std::vector<double> weights;
    std::vector<float> fitted;
    descend_plainly(columns, share * lasso_penalty_max(columns), 1, weights, fitted);
    double sum = 0;
    for (std::size_t i = 0; i < columns.intercept(); ++i) sum += std::abs(weights[i]);
    EXPECT_EQ(sum > 0, share < 1) << share;
  }
}

TEST(LassoColumns, OverlapCountsColumnsThatAreAlike) {
  SparseRows rows;
  Prng prng(3);
  for (int row = 0; row < 50; ++row) {
    const auto value = static_cast<float>(prng.normal());
    for (std::uint64_t feature = 0; feature < 5; ++feature) {
      rows.features.push_back(feature);
      rows.values.push_back(value);
    }
    rows.end_row(value);
  }
  EXPECT_NEAR(lasso_overlap(make_lasso_columns(rows)), 5 * 1.1, 0.3) << "five are the same";
}

TEST(LassoColumns, ChosenPenaltyLeavesWhatCounts) {
  const SparseLinearData data = small_data();
  const LassoColumns columns = make_lasso_columns(data.set.train);
  const double penalty = choose_lasso_penalty(columns, data.set.valid);
  std::vector<double> weights;
  std::vector<float> fitted;
  descend_plainly(columns, penalty, 50, weights, fitted);
  for (const std::uint64_t feature : data.set.support) EXPECT_NE(weights[feature], 0) << feature;
  EXPECT_LT(lasso_rmse(columns, weights, data.set.test), 1.3 * data.set.noise_floor);
}

}  // namespace
}  // namespace godwit
