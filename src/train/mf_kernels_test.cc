// train/mf_kernels_test.cc: steps against the definition, for every rank.
#include "train/mf_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<float> random_row(const MfLayout& layout, Prng& prng) {
  std::vector<float> row(layout.length());
  for (float& value : row) value = static_cast<float>(prng.normal());
  row[layout.squares()] = std::abs(row[layout.squares()]);
  row[layout.bias_squares()] = std::abs(row[layout.bias_squares()]);
  return row;
}

double predict(const std::vector<float>& p, const std::vector<float>& q, const MfLayout& layout) {
  double sum = double{p[layout.bias()]} + double{q[layout.bias()]};
  for (std::size_t k = 0; k < layout.rank; ++k) sum += double{p[k]} * double{q[k]};
  return sum;
}

// What one side should become, from both sides before.
std::vector<double> step_of(const std::vector<float>& mine, const std::vector<float>& other,
                            double error, const MfLayout& layout, const MfStep& step) {
  std::vector<double> after(mine.begin(), mine.end());
  const double rate = double{step.learning_rate} / std::sqrt(1 + double{mine[layout.squares()]});
  for (std::size_t k = 0; k < layout.rank; ++k) {
    const double gradient = error * double{other[k]} - double{step.penalty} * double{mine[k]};
    after[k] += rate * gradient;
    after[layout.squares()] += gradient * gradient / static_cast<double>(layout.rank);
  }
  if (!step.learns_biases) return after;
  const double gradient = error - double{step.bias_penalty} * double{mine[layout.bias()]};
  after[layout.bias()] +=
      double{step.learning_rate} / std::sqrt(1 + double{mine[layout.bias_squares()]}) * gradient;
  after[layout.bias_squares()] += gradient * gradient;
  return after;
}

TEST(MfKernels, AStepIsThatOfItsDefinitionForEveryRank) {
  Prng prng(3);
  for (std::size_t rank = 1; rank < 70; ++rank) {
    const MfLayout layout{rank};
    const MfStep step{.learning_rate = 0.1F,
                      .penalty = 0.05F,
                      .bias_penalty = 0.02F,
                      .learns_biases = rank % 2 == 0};
    std::vector<float> p = random_row(layout, prng);
    std::vector<float> q = random_row(layout, prng);
    EXPECT_NEAR(double{predict_rating(p.data(), q.data(), layout)}, predict(p, q, layout), 1e-4);
    const double error = 2.5 - predict(p, q, layout);
    const auto row_after = step_of(p, q, error, layout, step);
    const auto column_after = step_of(q, p, error, layout, step);
    float* const row = p.data();
    float* const column = q.data();
    const std::vector<BlockRating> ratings{{0, 0, 2.5F}};
    EXPECT_NEAR(learn_ratings(ratings, &row, &column, layout, step), error * error,
                1e-4 * (1 + error * error));
    for (std::size_t i = 0; i < layout.length(); ++i) {
      ASSERT_NEAR(double{p[i]}, row_after[i], 1e-3 * (1 + std::abs(row_after[i]))) << rank;
      ASSERT_NEAR(double{q[i]}, column_after[i], 1e-3 * (1 + std::abs(column_after[i]))) << rank;
    }
  }
}

TEST(MfKernels, RatingsAreLearnedInTheirOrder) {
  const MfLayout layout{4};
  const MfStep step{.learning_rate = 0.1F};
  Prng prng(1);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 4; ++i) rows.push_back(random_row(layout, prng));
  auto together = rows;
  auto one_by_one = rows;
  const std::vector<BlockRating> ratings{{0, 0, 1}, {1, 0, 2}, {0, 1, 3}};
  const auto learn = [&](std::vector<std::vector<float>>& of, std::span<const BlockRating> some) {
    const std::vector<float*> left{of[0].data(), of[1].data()};
    const std::vector<float*> right{of[2].data(), of[3].data()};
    learn_ratings(some, left.data(), right.data(), layout, step);
  };
  learn(together, ratings);
  for (const BlockRating& rating : ratings) learn(one_by_one, {&rating, 1});
  EXPECT_EQ(together, one_by_one);
  EXPECT_NE(together, rows);
}

}  // namespace
}  // namespace godwit
