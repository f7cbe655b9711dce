// sim/clock_world_test.cc: many seeds of jobs with bounded reads.
#include "sim/clock_world.h"

#include <gtest/gtest.h>

namespace godwit::sim {
namespace {

TEST(ClockWorld, NoCheckerFires) {
  std::uint64_t reads = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ClockWorld world(seed);
    const auto violation = world.run();
    ASSERT_FALSE(violation.has_value()) << "seed " << seed << ": " << *violation;
    reads += world.reads();
  }
  EXPECT_GT(reads, 5'000U);
}

TEST(ClockWorld, TheSameSeedGivesTheSameTrace) {
  ClockWorld first(7);
  ClockWorld second(7);
  first.run();
  second.run();
  EXPECT_EQ(first.trace_hash(), second.trace_hash());
}

}  // namespace
}  // namespace godwit::sim
