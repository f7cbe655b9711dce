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

// check_end() sees to it that the dead node is what they were told of.
TEST(World, AKilledNodeIsNamedToTheOthers) {
  std::int64_t told = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Scenario scenario = draw_scenario(seed);
    scenario.nodes = 3;
    scenario.operations = 2000;
    make_deadly(scenario);
    World world(seed, scenario);
    const auto violation = world.run();
    ASSERT_FALSE(violation) << seed << ": " << *violation;
    told += world.workers_told();
  }
  EXPECT_GE(told, 50) << "of 60; a few jobs end before the kill";
}

TEST(World, NobodyIsToldOfALossWhereNobodyDies) {
  Scenario scenario = draw_scenario(3);
  scenario.nodes = 4;
  scenario.kill_a_node = false;
  World world(3, scenario);
  EXPECT_FALSE(world.run());
  EXPECT_EQ(world.workers_told(), 0);
}

TEST(World, AScenarioIsDrawnFromItsSeed) {
  std::int64_t deadly = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Scenario scenario = draw_scenario(seed);
    const Scenario again = draw_scenario(seed);
    EXPECT_EQ(scenario.operations, again.operations);
    EXPECT_EQ(to_string(scenario.faults), to_string(again.faults));
    deadly += scenario.kill_a_node;
    if (!scenario.kill_a_node) continue;
    EXPECT_GT(scenario.nodes, 1);
    EXPECT_EQ(scenario.faults.drop_every, Duration::zero());
    EXPECT_EQ(scenario.faults.partition_every, Duration::zero());
    EXPECT_EQ(scenario.faults.freeze_every, Duration::zero());
  }
  EXPECT_GT(deadly, 5);
}

TEST(World, TheReplayLineNamesTheSeed) {
  EXPECT_EQ(World(17).replay_line(), "godwit sim --seeds 17..17");
}

TEST(Ledger, CountsPerWorkerAndKey) {
  Ledger ledger(2, 3);
  ledger.issued(1, 2);
  ledger.issued(1, 2);
  ledger.issued(0, 2);
  EXPECT_EQ(ledger.count(1, 2), 2);
  EXPECT_EQ(ledger.count(0, 2), 1);
  EXPECT_EQ(ledger.count(1, 1), 0);
}

}  // namespace
}  // namespace godwit::sim
