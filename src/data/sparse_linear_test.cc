// data/sparse_linear_test.cc: labels are what the planted weights say, up to the noise.
#include "data/sparse_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace godwit {
namespace {

TEST(SparseLinear, ThePlantedWeightsReachTheNoiseFloor) {
  const SparseLinearData data = make_sparse_linear({.noise = 0.3});
  EXPECT_NEAR(data.set.noise_floor, 0.3, 0.02);
  std::vector<double> weights(data.set.features);
  ASSERT_EQ(data.set.support.size(), 50U);
  for (std::size_t i = 0; i < data.set.support.size(); ++i) {
    EXPECT_GE(std::abs(data.weights[i]), 1.0F);
    weights[data.set.support[i]] = double{data.weights[i]};
  }
  double squares = 0;
  const SparseRows& test = data.set.test;
  for (std::size_t i = 0; i < test.size(); ++i) {
    double error = double{test.labels[i]};
    ASSERT_EQ(test.begins[i + 1] - test.begins[i], 20U);
    for (auto j = test.begins[i]; j < test.begins[i + 1]; ++j) {
      error -= weights[test.features[j]] * double{test.values[j]};
      if (j > test.begins[i]) {
        ASSERT_LT(test.features[j - 1], test.features[j]);
      }
    }
    squares += error * error;
  }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(test.size())), data.set.noise_floor, 1e-4);
}

TEST(SparseLinear, SenselessNumbersAreRefused) {
  EXPECT_TRUE(SparseLinearSpec{}.validate().ok());
  EXPECT_FALSE(SparseLinearSpec{.rows = 0}.validate().ok());
  EXPECT_FALSE(SparseLinearSpec{.per_row = 1001}.validate().ok());
  EXPECT_FALSE(SparseLinearSpec{.support = 1001}.validate().ok());
  EXPECT_FALSE(SparseLinearSpec{.weight = 0}.validate().ok());
  EXPECT_FALSE(SparseLinearSpec{.noise = -1}.validate().ok());
}

}  // namespace
}  // namespace godwit
