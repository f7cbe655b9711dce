// core/round_leader_test.cc: when a round ends, and with whom.
#include "core/round_leader.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

// Two servers; groups 0 and 1 of one rank each, in lives 1 and 2.
class RoundLeaderTest : public testing::Test {
 protected:
  RoundLeaderTest() {
    EXPECT_TRUE(book.join(NodeId{2}, {.group = 0}, Time{}).ok());
    EXPECT_TRUE(book.join(NodeId{3}, {.group = 1}, Time{}).ok());
  }
  void ready(std::int64_t server, std::uint32_t group, std::uint64_t round = 1) {
    const RoundReady message{.round = round, .life = group + std::uint64_t{1}, .group = group};
    EXPECT_TRUE(leader.on_ready(NodeId{server}, message, Time{}).ok());
  }
  // Groups with which the round ends; nothing if it does not.
  std::optional<std::vector<std::uint32_t>> end() {
    const auto ended = leader.take_end(Time{});
    if (!ended) return std::nullopt;
    std::vector<std::uint32_t> groups;
    for (const GroupRecord& group : ended->chosen) groups.push_back(group.group);
    return groups;
  }
  using Groups = std::vector<std::uint32_t>;

  GroupBook book{GroupPatience{}};
  RoundLeader leader{2, book};
};

TEST_F(RoundLeaderTest, EndsWhenAllLiveGroupsAreReadyAtAllServers) {
  ready(0, 0);
  ready(0, 1);
  ready(1, 1);
  EXPECT_EQ(end(), std::nullopt);
  ready(1, 0);
  EXPECT_EQ(end(), (Groups{0, 1}));
  EXPECT_EQ(leader.round(), 2U);
  EXPECT_EQ(end(), std::nullopt);
}

TEST_F(RoundLeaderTest, AServerThatSaysItTwiceIsOne) {
  ready(0, 0);
  ready(0, 0);
  ready(0, 1);
  ready(1, 1);
  EXPECT_EQ(end(), std::nullopt);
}

TEST_F(RoundLeaderTest, WhoIsGoneIsNotWaitedForAndCountsOnlyIfItIsWhole) {
  ready(0, 0);
  ready(1, 0);
  ready(0, 1);
  book.leave(NodeId{3});
  EXPECT_EQ(end(), Groups{0});
  ready(0, 0, 2);
  ready(1, 0, 2);
  EXPECT_EQ(end(), Groups{0});
}

TEST_F(RoundLeaderTest, WhoIsGoneAndHadBroughtAllCounts) {
  ready(0, 1);
  ready(1, 1);
  book.leave(NodeId{3});
  EXPECT_EQ(end(), std::nullopt) << "group 0 is live and waited for";
  ready(0, 0);
  ready(1, 0);
  EXPECT_EQ(end(), (Groups{0, 1}));
}

TEST_F(RoundLeaderTest, WhatIsSaidAboutARoundThatHasEndedSaysNothing) {
  for (const std::uint32_t group : {0U, 1U}) {
    ready(0, group);
    ready(1, group);
  }
  EXPECT_TRUE(end().has_value());
  ready(0, 0, 1);
  ready(1, 0, 1);
  ready(0, 1, 2);
  ready(1, 1, 2);
  EXPECT_EQ(end(), std::nullopt);
}

TEST_F(RoundLeaderTest, NobodyIsReadyAheadOfTime) {
  EXPECT_FALSE(leader.on_ready(NodeId{0}, {.round = 2, .life = 1, .group = 0}, Time{}).ok());
  EXPECT_FALSE(leader.on_ready(NodeId{2}, {.round = 1, .life = 1, .group = 0}, Time{}).ok());
}

TEST_F(RoundLeaderTest, GivingUpEndsItWithWhoIsThere) {
  ready(0, 0);
  ready(0, 1);
  ready(1, 1);
  EXPECT_EQ(leader.give_up(Time{}).chosen.size(), 1U);
  EXPECT_EQ(leader.round(), 2U);
}

TEST_F(RoundLeaderTest, WithoutALiveGroupNothingEnds) {
  book.leave(NodeId{2});
  book.leave(NodeId{3});
  ready(0, 0);
  ready(1, 0);
  EXPECT_EQ(end(), std::nullopt);
}

}  // namespace
}  // namespace godwit
