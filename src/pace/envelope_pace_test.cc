// pace/envelope_pace_test.cc: the switching times of the theory, and their order.
#include "pace/envelope_pace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace godwit {
namespace {

// Computation only, full load: mu_k = H_n - H_(n-k).
std::vector<TimedChoice> k_only(std::uint32_t n, std::uint32_t load) {
  std::vector<TimedChoice> choices;
  double seconds = 0;
  for (std::uint32_t k = 1; k <= n; ++k) {
    seconds += 1.0 / (n - k + 1);
    choices.push_back({{k, load}, seconds});
  }
  return choices;
}

// The switching theorem of adaptive fastest-k SGD (arXiv 2002.11005), in its own terms.
TEST(EnvelopePace, SwitchesWhenTheTheoremSays) {
  constexpr std::uint32_t kWorkers = 5;
  constexpr std::uint32_t kLoad = 10;
  const BoundConstants constants{.learning_rate = 1e-4,
                                 .smoothness = 2,
                                 .convexity = 1,
                                 .sample_variance = 10,
                                 .first_error = 100};
  const auto choices = k_only(kWorkers, kLoad);
  EnvelopePace pace(choices, constants);
  const double alpha = -std::log(1 - constants.learning_rate * constants.convexity);
  const double noise = constants.learning_rate * constants.smoothness * constants.sample_variance;
  double expected = 0;
  double error = constants.first_error;
  double now = 0;
  for (std::uint32_t k = 1; k < kWorkers; ++k) {
    const double mu = choices[k - 1].seconds;
    const double next = choices[k].seconds;
    expected += mu / alpha *
                (std::log(next - mu) - std::log(noise * mu) +
                 std::log(2 * constants.convexity * k * (k + 1) * kLoad * error - noise * (k + 1)));
    while (pace.choice(kWorkers).k == k) {
      now += *pace.predicted_seconds();
      pace.on_step({});
    }
    EXPECT_NEAR(now, expected, 2 * next) << "within a step of each";
    error = pace.error();
    expected = now;
  }
}

TEST(EnvelopePace, StaysWithTheLastAndWithinTheLive) {
  EnvelopePace pace(k_only(5, 10), {.learning_rate = 0.1,
                                    .smoothness = 2,
                                    .convexity = 1,
                                    .sample_variance = 10,
                                    .first_error = 1e-12});
  EXPECT_EQ(pace.choice(5), (PaceChoice{5, 10})) << "already at its floor";
  EXPECT_EQ(pace.choice(2), (PaceChoice{2, 10}));
  for (int i = 0; i < 10'000; ++i) pace.on_step({});
  EXPECT_EQ(pace.choice(5), (PaceChoice{5, 10}));
  EXPECT_NEAR(pace.error(), 0.1 * 2 * 10 / (2.0 * 50), 1e-9);
}

}  // namespace
}  // namespace godwit
