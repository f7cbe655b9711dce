// sim/group_world_test.cc: many seeds of jobs with groups.
#include "sim/group_world.h"

#include <gtest/gtest.h>

namespace godwit::sim {
namespace {

TEST(GroupWorld, NoCheckerFires) {
  std::uint64_t applied = 0;
  std::uint64_t rounds = 0;
  std::uint64_t without = 0;
  std::uint64_t deaths = 0;
  std::uint64_t expiries = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    GroupWorld world(seed);
    const auto violation = world.run();
    ASSERT_FALSE(violation.has_value()) << "seed " << seed << ": " << *violation;
    applied += world.ledger().applied();
    rounds += world.ledger().rounds();
    without += world.ledger().without();
    deaths += world.deaths();
    expiries += world.expiries();
  }
  // The worlds are no better than these.
  EXPECT_GT(applied, 5'000U);
  EXPECT_GT(rounds, 500U);
  EXPECT_GT(without, 10U);
  EXPECT_GT(deaths, 50U);
  EXPECT_GT(expiries, 50U);
}

TEST(GroupWorld, ExchangesThatDoNotArriveAsTheyAreAreNoticed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GroupScenario scenario = draw_group_scenario(seed);
    add_canary(scenario);
    GroupWorld world(seed, scenario);
    EXPECT_TRUE(world.run().has_value()) << "seed " << seed;
  }
}

TEST(GroupWorld, TheSameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = 7; seed <= 12; ++seed) {
    GroupWorld first(seed);
    GroupWorld second(seed);
    first.run();
    second.run();
    EXPECT_EQ(first.trace_hash(), second.trace_hash()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace godwit::sim
