// train/kge_distance_test.cc: distances of many shapes, and of rows that all but coincide.
#include "train/kge_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<float> draw(std::size_t n, Prng& prng) {
  std::vector<float> result(n);
  for (float& x : result) x = static_cast<float>(prng.normal());
  return result;
}

TEST(L1Distance, ScoresAndGradientsAreTheSumsForAllShapes) {
  Prng prng(4);
  for (const std::size_t questions : {1U, 4U, 7U}) {
    for (const std::size_t candidates : {1U, 33U, 70U}) {
      for (const std::size_t length : {1U, 16U, 37U}) {
        const auto q = draw(questions * length, prng);
        const auto e = draw(candidates * length, prng);
        const auto slopes = draw(questions * candidates, prng);
        std::vector<float> scores(questions * candidates);
        std::vector<float> dq(q.size(), 1.0F);
        std::vector<float> de(e.size(), 1.0F);
        std::vector<float> expected_dq = dq;
        std::vector<float> expected_de = de;
        const DistanceShape shape{questions, candidates, length};
        l1_scores(shape, q.data(), e.data(), scores.data());
        l1_gradients(shape, q.data(), e.data(), slopes.data(), dq.data(), de.data());
        for (std::size_t i = 0; i < questions; ++i) {
          for (std::size_t j = 0; j < candidates; ++j) {
            float sum = 0;
            for (std::size_t k = 0; k < length; ++k) {
              const float difference = q[i * length + k] - e[j * length + k];
              const float slope = std::copysign(1.0F, difference) * slopes[i * candidates + j];
              sum += std::fabs(difference);
              expected_dq[i * length + k] -= slope;
              expected_de[j * length + k] += slope;
            }
            ASSERT_NEAR(scores[i * candidates + j], -sum, 1e-4);
          }
        }
        for (std::size_t i = 0; i < dq.size(); ++i) ASSERT_NEAR(dq[i], expected_dq[i], 1e-4);
        for (std::size_t i = 0; i < de.size(); ++i) ASSERT_NEAR(de[i], expected_de[i], 1e-4);
      }
    }
  }
}

TEST(L2Distance, ComesFromProductsAndStaysAwayFromNoise) {
  const std::vector<float> e_squares = {16.0F, 9.0F, 9.0F};
  std::vector<float> scores = {0.0F, 9.0F, 9.000001F};  // a right angle; the same point twice
  l2_scores_from_products(9.0F, e_squares.data(), 3, scores.data());
  EXPECT_NEAR(scores[0], -5, 1e-6);
  EXPECT_NEAR(scores[1], -std::sqrt(18e-6), 1e-6);
  EXPECT_NEAR(scores[2], -std::sqrt(18e-6), 1e-6);
}

TEST(L2Distance, RowsOfZerosDivideNothingByZero) {
  const std::vector<float> e_squares = {0.0F};
  std::vector<float> scores = {0.0F};
  l2_scores_from_products(0.0F, e_squares.data(), 1, scores.data());
  std::vector<float> slopes = {0.25F};
  EXPECT_TRUE(std::isfinite(divide_by_distances(scores.data(), 1, slopes.data())));
}

TEST(L2Distance, SlopesAreDividedAndSummed) {
  const std::vector<float> scores(20, -4.0F);
  std::vector<float> slopes(20, 2.0F);
  EXPECT_EQ(divide_by_distances(scores.data(), 20, slopes.data()), 10.0F);
  EXPECT_EQ(slopes[19], 0.5F);
  EXPECT_EQ(sum_of_squares(scores.data(), 20), 320.0F);
}

}  // namespace
}  // namespace godwit
