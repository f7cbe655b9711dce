// sim/step_world_test.cc: many seeds of jobs in steps.
#include "sim/step_world.h"

#include <gtest/gtest.h>

namespace godwit::sim {
namespace {

TEST(StepWorld, NoCheckerFires) {
  std::uint64_t results = 0;
  std::uint64_t late = 0;
  std::uint64_t deaths = 0;
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    StepWorld world(seed);
    const auto violation = world.run();
    ASSERT_FALSE(violation.has_value()) << "seed " << seed << ": " << *violation;
    results += world.replay().results();
    late += world.replay().late_results();
    deaths += world.dead() ? 1 : 0;
    cuts += world.cut_off() ? 1 : 0;
  }
  EXPECT_GT(results, 5'000U);
  EXPECT_GT(late, 500U);
  EXPECT_GT(deaths, 3U);
  EXPECT_GT(cuts, 1U);
}

TEST(StepWorld, SumsThatDoNotArriveAreNoticed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    StepScenario scenario = draw_step_scenario(seed);
    add_canary(scenario);
    StepWorld world(seed, scenario);
    EXPECT_TRUE(world.run().has_value()) << "seed " << seed;
  }
}

TEST(StepWorld, TheSameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = 7; seed <= 12; ++seed) {
    StepWorld first(seed);
    StepWorld second(seed);
    first.run();
    second.run();
    EXPECT_EQ(first.trace_hash(), second.trace_hash()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace godwit::sim
