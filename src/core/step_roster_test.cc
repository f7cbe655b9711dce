// core/step_roster_test.cc: who is there, who is silent, who comes back.
#include "core/step_roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

StepRoster two_nodes() {
  StepRoster roster;
  const std::array<std::uint32_t, 2> two{1, 0};
  const std::array<std::uint32_t, 1> one{0};
  roster.add(NodeId{1}, two);
  roster.add(NodeId{0}, one);
  roster.settle();
  return roster;
}

TEST(StepRoster, IsInTheOrderOfNodesAndWorkers) {
  const StepRoster roster = two_nodes();
  ASSERT_EQ(roster.size(), 3U);
  EXPECT_EQ(roster.find(NodeId{0}, 0), 0U);
  EXPECT_EQ(roster.find(NodeId{1}, 0), 1U);
  EXPECT_EQ(roster.find(NodeId{1}, 1), 2U);
  EXPECT_EQ(roster.find(NodeId{2}, 0), std::nullopt);
  EXPECT_EQ(roster.live(), 3U);
}

TEST(StepRoster, WhoIsSilentForTooLongIsNotLiveUntilHeard) {
  StepRoster roster = two_nodes();
  DelayStatistics delays(3);
  for (int i = 0; i < 10; ++i)
    delays.note(1, {.comm_seconds = 0.1, .compute_seconds = 0.1, .samples = 1});
  roster.learn(delays);
  const Time start{};
  roster.give(1, 1, start);
  roster.give(1, 2, start + seconds(3));
  EXPECT_EQ(roster.deadline(), start + seconds(4)) << "20 times 0.2 s";
  EXPECT_TRUE(roster.drop_silent(start + milliseconds(3900)).empty());
  EXPECT_THAT(roster.drop_silent(start + seconds(4)), ElementsAre(1U));
  EXPECT_EQ(roster.live(), 2U);
  EXPECT_EQ(roster.deadline(), Time::max());
  EXPECT_THAT(roster.describe_silent(start + seconds(5)),
              HasSubstr("worker 0 of node 1, silent for 5.0 s, not counted any more"));
  EXPECT_TRUE(roster.hear(1, 1, start + seconds(6)));
  EXPECT_FALSE(roster.hear(1, 2, start + seconds(6)));
  EXPECT_EQ(roster.live(), 3U);
}

TEST(StepRoster, OfWhomNothingIsKnownHasLonger) {
  StepRoster roster = two_nodes();
  roster.give(0, 1, Time{});
  EXPECT_EQ(roster.deadline(), Time{} + StepRoster::kPatienceFirst);
}

TEST(StepRoster, WhoseConnectionIsBrokenIsNotWaitedForLong) {
  StepRoster roster = two_nodes();
  const Time start{};
  for (std::uint32_t i = 0; i < roster.size(); ++i) roster.give(i, 1, start);
  roster.on_down(NodeId{1}, start + seconds(2));
  EXPECT_EQ(roster.deadline(), start + seconds(3));
  EXPECT_TRUE(roster.drop_silent(start + milliseconds(2900)).empty());
  EXPECT_THAT(roster.drop_silent(start + seconds(3)), ElementsAre(1U, 2U));
  EXPECT_TRUE(roster.hear(1, 1, start + seconds(4)));
  EXPECT_EQ(roster.live(), 2U);
}

TEST(StepRoster, WhatIsGivenOverABrokenConnectionHasItsTimeToo) {
  StepRoster roster = two_nodes();
  roster.on_down(NodeId{0}, Time{});
  EXPECT_EQ(roster.deadline(), Time::max()) << "nothing is waited for";
  roster.give(0, 1, Time{} + seconds(5));
  EXPECT_EQ(roster.deadline(), Time{} + seconds(6));
  roster.on_up(NodeId{0});
  EXPECT_EQ(roster.deadline(), Time{} + seconds(5) + StepRoster::kPatienceFirst);
}

TEST(StepRoster, LostWorkersStayLost) {
  StepRoster roster = two_nodes();
  roster.give(2, 1, Time{});
  EXPECT_THAT(roster.lose(NodeId{1}), ElementsAre(1U, 2U));
  EXPECT_TRUE(roster.lose(NodeId{1}).empty());
  EXPECT_FALSE(roster.hear(2, 1, Time{}));
  roster.settle();
  EXPECT_EQ(roster.live(), 1U);
}

// Others would have given up waiting for the step before.
TEST(StepRoster, WhoIsSilentIsGivenUpBeforeOthersGiveUp) {
  StepRoster roster(seconds(600));
  const std::array<std::uint32_t, 1> one{0};
  for (const std::int64_t node : {0, 1}) roster.add(NodeId{node}, one);
  roster.settle();
  DelayStatistics delays(2);
  delays.note(0, {.comm_seconds = 0, .compute_seconds = 40, .samples = 1});
  delays.note(1, {.comm_seconds = 0, .compute_seconds = 200, .samples = 1});
  roster.learn(delays);
  roster.give(1, 1, Time{});
  EXPECT_EQ(roster.deadline(), Time{} + seconds(400)) << "twice its usual time";
  roster.give(0, 1, Time{});
  EXPECT_EQ(roster.deadline(), Time{} + seconds(300));
}

}  // namespace
}  // namespace godwit
