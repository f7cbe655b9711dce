// pace/inclusion_monitor_test.cc: chance is no alarm, a shard that is left out is.
#include "pace/inclusion_monitor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(InclusionMonitor, ChanceIsNoAlarm) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Prng prng(seed);
    InclusionMonitor monitor(50);
    EXPECT_EQ(monitor.ratio(), 1);
    for (int i = 0; i < 50 * 100; ++i) {
      monitor.note(prng.below(50));
      ASSERT_FALSE(monitor.is_alarming()) << seed << " " << i;
    }
  }
}

TEST(InclusionMonitor, WhoIsLeftOutIsNoticed) {
  InclusionMonitor monitor(4);
  for (int i = 0; i < 100; ++i) {
    for (std::size_t member = 0; member < 3; ++member) monitor.note(member);
    if (i % 5 == 0) monitor.note(3);
  }
  EXPECT_EQ(monitor.ratio(), 5);
  EXPECT_TRUE(monitor.is_alarming());
  monitor.note(3, 10);
  EXPECT_FALSE(monitor.is_alarming());
  InclusionMonitor never(2);
  never.note(0, 100);
  EXPECT_TRUE(std::isinf(never.ratio()));
  EXPECT_TRUE(never.is_alarming());
}

}  // namespace
}  // namespace godwit
