// train/kge_kernels_test.cc: losses where numbers get large; the rest is in kge_step_test.cc.
#include "train/kge_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace godwit {
namespace {

TEST(SoftmaxLoss, SurvivesScoresThatOverflowTheExponential) {
  std::vector<float> scores(37, -500.0F);
  scores[3] = 1000.0F;
  scores[36] = 999.0F;
  const float loss = softmax_loss({.scores = scores, .own = 37, .answer = 36});
  EXPECT_NEAR(loss, 1 + std::log1p(std::exp(-1.0)), 1e-5);
  EXPECT_NEAR(scores[3], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(scores[36], -1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(scores[0], 0.0F);
}

TEST(SoftmaxLoss, DrawnCandidatesCountAsOftenAsTheirWeight) {
  std::vector<float> drawn = {0.5F, 1.0F, 2.0F};
  const float loss = softmax_loss({.scores = drawn, .own = 2, .weight = 3, .answer = 0});
  std::vector<float> repeated = {0.5F, 1.0F, 2.0F, 2.0F, 2.0F};
  EXPECT_NEAR(loss, softmax_loss({.scores = repeated, .own = 5, .answer = 0}), 1e-6);
  EXPECT_NEAR(drawn[2], 3 * repeated[2], 1e-6);
}

TEST(SoftmaxLoss, SlopesSumToZero) {
  std::vector<float> scores(1000);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = std::sin(static_cast<float>(i));
  softmax_loss({.scores = scores, .own = 100, .weight = 7, .answer = 5});
  double sum = 0;
  for (const float slope : scores) sum += slope;
  EXPECT_NEAR(sum, 0, 1e-5);
}

TEST(SoftmaxLoss, ALoneCandidateIsCertain) {
  std::vector<float> scores = {-3.0F};
  EXPECT_EQ(softmax_loss({.scores = scores, .own = 1}), 0.0F);
  EXPECT_EQ(scores[0], 0.0F);
}

TEST(LogisticLoss, SurvivesLargeScores) {
  std::vector<float> scores = {-2000.0F, 3000.0F, -3000.0F};
  const float loss = logistic_loss({.scores = scores, .own = 3, .answer = 0}, 0, 2);
  EXPECT_NEAR(loss, 2000 + 2 * 3000 / 2, 1e-2);
  EXPECT_EQ(scores, (std::vector<float>{-1.0F, 1.0F, 0.0F}));
}

TEST(LogisticLoss, ALoneCandidateHasOnlyItsOwnPart) {
  std::vector<float> scores = {0.0F};
  EXPECT_NEAR(logistic_loss({.scores = scores, .own = 1}, 0, 1), std::log(2.0), 1e-6);
  EXPECT_NEAR(scores[0], -0.5, 1e-6);
}

TEST(CountAbove, CountsInWholeVectorsAndRests) {
  for (std::size_t n = 1; n < 70; ++n) {
    std::vector<float> scores(n, 1.0F);
    scores[n - 1] = 2.0F;
    scores[n / 2] = std::numeric_limits<float>::quiet_NaN();
    const Above above = count_above(scores, 1.0F);
    EXPECT_EQ(above.greater, n == 1 ? 0U : n / 2 == n - 1 ? 0U : 1U);
    EXPECT_EQ(above.equal, n <= 2 ? n - 1 : n - 2);
  }
}

}  // namespace
}  // namespace godwit
