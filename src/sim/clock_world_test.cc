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

TEST(ClockWorld, TheMoreReadsMayLagTheLessIsWaited) {
  const auto waited = [](std::int64_t staleness) {
    Duration sum{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      ClockScenario scenario = draw_clock_scenario(seed);
      scenario.is_bsp = false;
      scenario.staleness = staleness;
      ClockWorld world(seed, scenario);
      EXPECT_FALSE(world.run().has_value()) << "seed " << seed;
      sum += world.waited();
    }
    return sum;
  };
  const Duration most = waited(0);
  EXPECT_GT(most, Duration::zero());
  EXPECT_LT(waited(1), most);
  EXPECT_LT(waited(4), waited(1));
  EXPECT_EQ(waited(1000), Duration::zero());
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
