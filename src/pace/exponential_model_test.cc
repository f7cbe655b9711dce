// pace/exponential_model_test.cc: known values, closed forms where they exist, and drawing.
#include "pace/exponential_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

// D1, by exact rational arithmetic: rates of communication and of computation.
TEST(ExponentialModel, HasTheKnownValues) {
  EXPECT_NEAR(ExponentialModel(5, 1, 0.5).mu(2, 1), 0.8853, 5e-5);
  EXPECT_NEAR(ExponentialModel(10, 1, 0.25).mu(5, 1), 0.9097, 5e-5);
  EXPECT_NEAR(ExponentialModel(50, 1, 0.5).mu(10, 1), 0.5832, 5e-5);
  EXPECT_NEAR(ExponentialModel(50, 1, 1).mu(10, 0.5), 0.5832, 5e-5) << "half the load";
  EXPECT_NEAR(ExponentialModel(50, 1, 0.25).mu(40, 1), 1.8566, 5e-5);
  EXPECT_NEAR(ExponentialModel(10, 1, 1).mu(10, 1), 4.623, 5e-4) << "equal rates";
}

TEST(ExponentialModel, AloneATimeHasHarmonicMeans) {
  for (const bool is_comm : {true, false}) {
    const auto means = ExponentialModel(200, is_comm ? 3 : 0, is_comm ? 0 : 3).order_means(1);
    double expected = 0;
    for (std::size_t k = 1; k <= 200; ++k) {
      expected += 3.0 / static_cast<double>(200 - k + 1);
      ASSERT_NEAR(means[k - 1] / expected, 1, 1e-6) << k;
    }
  }
  EXPECT_NEAR(ExponentialModel(7, 2, 5).mu(1, 0), 2.0 / 7, 1e-7) << "no load";
}

// n = 1: the means add. n = 2 with equal rates a: the smaller of two Erlang(2) takes 1.25 / a.
TEST(ExponentialModel, HasClosedFormsForFew) {
  for (const double share : {0.001, 0.3, 1.0, 400.0}) {
    EXPECT_NEAR(ExponentialModel(1, 1, 2).mu(1, share) / (1 + 2 * share), 1, 1e-6);
  }
  EXPECT_NEAR(ExponentialModel(2, 0.5, 0.5).mu(1, 1), 0.625, 1e-6);
}

// D1: within 1 % of 100,000 draws.
TEST(ExponentialModel, AgreesWithDrawing) {
  Prng prng(1);
  const auto exponential = [&](double mean) { return -mean * std::log(1 - prng.uniform()); };
  for (const std::uint32_t n : {5U, 10U, 50U}) {
    for (const double share : {0.05, 1.0}) {
      std::vector<double> drawn(n, 0.0);
      std::vector<double> times(n);
      constexpr int kDraws = 100'000;
      for (int i = 0; i < kDraws; ++i) {
        for (double& time : times) time = exponential(1) + share * exponential(1);
        std::sort(times.begin(), times.end());
        for (std::size_t k = 0; k < n; ++k) drawn[k] += times[k] / kDraws;
      }
      const auto means = ExponentialModel(n, 1, 1).order_means(share);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(means[k] / drawn[k], 1, 0.01) << n << " " << share << " " << k;
      }
    }
  }
}

// To first order the time depends on k * share only: sqrt(2 k share / n).
TEST(ExponentialModel, FollowsTheLawOfSmallK) {
  for (const double share : {0.1, 1.0}) {
    const double law = std::sqrt(2 * share / 5000.0) * std::tgamma(3.5) / std::tgamma(3.0);
    EXPECT_NEAR(ExponentialModel(5000, 1, 1).mu(3, share) / law, 1, 0.06) << share;
  }
}

TEST(ExponentialModel, DoesNotDependOnTheUnit) {
  const double seconds = ExponentialModel(20, 1, 2).mu(7, 0.4);
  for (const double unit : {1e-9, 1e-3, 1e9}) {
    EXPECT_NEAR(ExponentialModel(20, unit, 2 * unit).mu(7, 0.4) / unit / seconds, 1, 1e-9);
  }
}

}  // namespace
}  // namespace godwit
