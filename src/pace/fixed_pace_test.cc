// pace/fixed_pace_test.cc: it stays, within what is live.
#include "pace/fixed_pace.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(FixedPace, StaysWithinTheLiveWorkers) {
  FixedPace pace({6, 20});
  EXPECT_EQ(pace.choice(8), (PaceChoice{6, 20}));
  pace.on_step({.step = 0, .mean_loss = 1e9, .live = 3});
  EXPECT_EQ(pace.choice(3), (PaceChoice{3, 20}));
  EXPECT_EQ(pace.choice(8), (PaceChoice{6, 20}));
  EXPECT_FALSE(pace.wants_reference(1));
  EXPECT_FALSE(pace.wants_distance(1));
  EXPECT_FALSE(pace.wants_gradient_turn());
}

}  // namespace
}  // namespace godwit
