// pace/loss_guard_test.cc: noise passes, a loss that rises does not.
#include "pace/loss_guard.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(LossGuard, NoiseOfSmallBatchesPasses) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(seed);
    LossGuard guard;
    // Five batches of 100 samples, as while times are measured, then many of two.
    for (int i = 0; i < 5; ++i) {
      double loss = 0;
      for (int j = 0; j < 100; ++j) loss += std::pow(prng.normal(), 2) / 100;
      EXPECT_FALSE(guard.note(loss));
    }
    for (int i = 0; i < 5000; ++i) {
      EXPECT_FALSE(guard.note((std::pow(prng.normal(), 2) + std::pow(prng.normal(), 2)) / 2));
    }
  }
}

TEST(LossGuard, FiresWhenTheLossHasTripled) {
  LossGuard guard;
  int steps = 0;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(guard.note(1));
  while (!guard.note(10)) ASSERT_LT(++steps, 100);
  EXPECT_GT(steps, 5) << "one batch is not enough";
  EXPECT_LT(steps, 20);
  EXPECT_GT(guard.smooth(), 3);
}

// After 3: at 4.5, 6.8, 10.1, 15.2, 22.8, 34.2 and 51.3, where the loss ends at 53.
TEST(LossGuard, FiresAgainIfItGoesOnRising) {
  LossGuard guard;
  int fired = 0;
  double loss = 1;
  for (int i = 0; i < 1000; ++i) {
    fired += guard.note(loss);
    if (i < 400) loss *= 1.01;
  }
  EXPECT_EQ(fired, 8);
}

TEST(LossGuard, ALossThatHasFallenMayRiseAgain) {
  LossGuard guard;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(guard.note(1));
  while (!guard.note(4)) {
  }
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(guard.note(1));
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(guard.note(2.5));
}

TEST(LossGuard, WhatIsNotANumberFires) {
  LossGuard guard;
  EXPECT_FALSE(guard.note(1));
  EXPECT_TRUE(guard.note(NAN));
  EXPECT_TRUE(guard.note(INFINITY));
  EXPECT_FALSE(guard.note(1));
}

TEST(LossGuard, LossesWithoutAScalePass) {
  LossGuard guard;
  for (const double loss : {0.0, -5.0, -1.0, -20.0, 3.0}) EXPECT_FALSE(guard.note(loss));
}

}  // namespace
}  // namespace godwit
