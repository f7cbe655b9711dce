// pace/adaptive_k_test.cc: turns and straight steps, burn-in, and the last k.
#include "pace/adaptive_k.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

void feed(AdaptiveK& pace, int steps, double turn) {
  for (int i = 0; i < steps; ++i) pace.on_step({.gradient_turn = turn});
}

TEST(AdaptiveK, WaitsForMoreOnceGradientsTurn) {
  AdaptiveK pace({.first_k = 10, .step_k = 10, .last_k = 40, .load = 20, .burn_in = 50});
  EXPECT_EQ(pace.choice(50), (PaceChoice{10, 20}));
  EXPECT_TRUE(pace.wants_gradient_turn());
  feed(pace, 100, 1);
  feed(pace, 110, -1);
  EXPECT_EQ(pace.choice(50).k, 10U) << "ten more turns than straight steps are not enough";
  feed(pace, 1, -1);
  EXPECT_EQ(pace.choice(50).k, 20U);
  EXPECT_EQ(pace.stage(), 1U);
  EXPECT_EQ(pace.choice(15).k, 15U);
}

TEST(AdaptiveK, EachKIsGivenItsTime) {
  AdaptiveK pace({.first_k = 1, .step_k = 5, .last_k = 50, .load = 1, .burn_in = 50});
  feed(pace, 50, -1);
  EXPECT_EQ(pace.choice(50).k, 1U);
  feed(pace, 1, -1);
  EXPECT_EQ(pace.choice(50).k, 6U);
  feed(pace, 50, -1);
  EXPECT_EQ(pace.choice(50).k, 6U);
  feed(pace, 1, -1);
  EXPECT_EQ(pace.choice(50).k, 11U);
  feed(pace, 10'000, -1);
  EXPECT_EQ(pace.choice(50).k, 46U) << "never beyond the last";
}

TEST(AdaptiveK, StepsWithoutAGradientSayNothing) {
  AdaptiveK pace({.first_k = 1, .step_k = 1, .last_k = 2, .load = 1});
  for (int i = 0; i < 10'000; ++i) pace.on_step({});
  EXPECT_EQ(pace.choice(50).k, 1U);
}

}  // namespace
}  // namespace godwit
