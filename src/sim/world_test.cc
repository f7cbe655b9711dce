// sim/world_test.cc: many worlds, each from one seed; and one that must fail.
#include "sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit::sim {
namespace {

TEST(World, ASeedGivesTheSameTraceTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World first(seed);
    World second(seed);
    first.run();
    second.run();
    EXPECT_EQ(first.trace_hash(), second.trace_hash()) << first.replay_line();
    EXPECT_NE(first.trace_hash(), World(seed + 1000).trace_hash());
  }
}

TEST(World, NoCheckerFires) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    World world(seed);
    const auto violation = world.run();
    ASSERT_FALSE(violation) << world.replay_line() << ": " << *violation << " ("
                            << to_string(world.scenario().faults) << ")";
  }
}

// The canary: if a lost update goes unnoticed here, the checkers are asleep.
TEST(World, ALostUpdateIsNoticed) {
  Scenario scenario = draw_scenario(5);
  scenario.nodes = 3;
  scenario.kill_a_node = false;
  scenario.lose_an_update = true;
  World world(5, scenario);
  const auto violation = world.run();
  ASSERT_TRUE(violation);
  EXPECT_THAT(*violation, testing::ContainsRegex("added|additions"));
}

TEST(World, AKilledNodeIsNamedToTheOthers) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Scenario scenario = draw_scenario(seed);
    scenario.nodes = 3;
    scenario.operations = 2000;
    make_deadly(scenario);
    World world(seed, scenario);
    const auto violation = world.run();
    ASSERT_FALSE(violation) << seed << ": " << *violation;
    ++told;
  }
  EXPECT_EQ(told, 30);
}

}  // namespace
}  // namespace godwit::sim
