// sim/least_squares_test.cc: gradients against differences, the optimum, and where learning ends.
#include "sim/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/prng.h"

namespace godwit::sim {
namespace {

std::vector<std::uint32_t> all_of(const LeastSquares& problem) {
  std::vector<std::uint32_t> samples(problem.samples());
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

TEST(LeastSquares, TheErrorIsTheLossAboveTheOptimum) {
  const LeastSquares problem({.samples = 300, .dimension = 7}, 1);
  const auto all = all_of(problem);
  std::vector<float> gradient(problem.width());
  const std::vector<float> zero(problem.width());
  const double least = problem.add_gradients(zero, all, gradient) / 300;
  for (const float value : gradient) EXPECT_NEAR(value / 300, 0, 1e-3) << "v = 0 is the optimum";
  Prng prng(2);
  for (int i = 0; i < 10; ++i) {
    std::vector<float> v(problem.width());
    for (std::size_t j = 0; j < 7; ++j) v[j] = static_cast<float>(prng.normal());
    const double loss = problem.add_gradients(v, all, gradient) / 300;
    EXPECT_NEAR(problem.error(v) / (loss - least), 1, 1e-4);
  }
}

TEST(LeastSquares, GradientsAreTheSlopesOfLosses) {
  const LeastSquares problem({.features = Features::kGauss, .samples = 50, .dimension = 20}, 3);
  const std::vector<std::uint32_t> some{4, 8, 8};
  std::vector<float> v = problem.start();
  std::vector<float> gradient(problem.width());
  std::vector<float> unused(problem.width());
  problem.add_gradients(v, some, gradient);
  for (std::size_t j = 0; j < 20; ++j) {
    std::vector<float> up = v;
    std::vector<float> down = v;
    up[j] += 0.5F;
    down[j] -= 0.5F;
    const double slope =
        problem.add_gradients(up, some, unused) - problem.add_gradients(down, some, unused);
    EXPECT_NEAR(gradient[j] / slope, 1, 2e-2) << j;
  }
}

TEST(LeastSquares, HasTheCurvaturesItIsNamedAfter) {
  const LeastSquares whole({}, 1);
  EXPECT_GT(whole.smoothness() / whole.convexity(), 350);
  EXPECT_LT(whole.smoothness() / whole.convexity(), 500);
  const LeastSquares gauss({.features = Features::kGauss}, 1);
  EXPECT_LT(gauss.smoothness() / gauss.convexity(), 1.5);
  const LeastSquares decaying({.features = Features::kDecaying}, 1);
  EXPECT_NEAR(decaying.smoothness(), 1, 0.1);
  EXPECT_NEAR(decaying.convexity() * 1000, 1, 0.2);
}

TEST(LeastSquares, LearningEndsAtTheFloor) {
  const LeastSquares problem({.features = Features::kGauss, .samples = 5000, .dimension = 20}, 5);
  std::vector<float> v(problem.width());
  std::vector<float> gradient(problem.width());
  std::vector<std::uint32_t> batch(50);
  Prng prng(1);
  double sum = 0;
  for (int step = 0; step < 30'000; ++step) {
    for (auto& sample : batch) sample = static_cast<std::uint32_t>(prng.below(5000));
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    problem.add_gradients(v, batch, gradient);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= 0.02F / 50 * gradient[j];
    if (step >= 2000) sum += problem.error(v) / 28'000;
  }
  EXPECT_NEAR(sum / problem.floor(0.02, 50), 1, 0.1);
}

TEST(LeastSquares, TheSameSeedIsTheSameProblem) {
  const LeastSquares first({.samples = 200, .dimension = 10}, 9);
  const LeastSquares second({.samples = 200, .dimension = 10}, 9);
  const LeastSquares other({.samples = 200, .dimension = 10}, 10);
  EXPECT_EQ(first.error(first.start()), second.error(second.start()));
  EXPECT_NE(first.error(first.start()), other.error(other.start()));
}

}  // namespace
}  // namespace godwit::sim
