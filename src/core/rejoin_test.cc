// core/rejoin_test.cc: a node that owns nothing is lost and comes back in a new life, of which
// nothing of the old one is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/groups_fixture.h"

namespace godwit {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr std::array<Key, 1> kKey{0};
constexpr ExchangeOptions kElastic{.mode = ExchangeMode::kElastic};

// Two servers and two ranks, which have not joined their groups.
class RejoinEarly : public testing::Test {
 protected:
  TicketId enter_barrier(std::int64_t node) {
    const TicketId ticket = cores.core(node).waits().reserve();
    cores.core(node).enter_barrier(ticket);
    cores.run();
    return ticket;
  }
  bool is_done(std::int64_t node, TicketId ticket) {
    return cores.core(node).waits().is_done(ticket);
  }
  TicketId say_bye(std::int64_t node) {
    const TicketId ticket = cores.core(node).waits().reserve();
    cores.core(node).say_bye(ticket);
    cores.run();
    return ticket;
  }

  const TableSpec spec = exchange_spec(Rule::elastic(0.5F), 1, 8);
  GroupCores cores{2, 2};
};

class Rejoin : public RejoinEarly {
 protected:
  Rejoin() {
    cores.join_all(2);
    table = cores.open(2, spec).value();
  }

  TableId table;
};

TEST_F(Rejoin, FindsTablesAtOnceAndExchanges) {
  cores.kill(3);
  cores.pass(seconds(5));
  cores.restart(3);
  EXPECT_EQ(cores.open(3, spec).value(), table);
  ASSERT_FALSE(cores.finish(3, cores.begin_join(3, {.group = 1})).error);
  std::vector<float> values{8};
  EXPECT_EQ(cores.exchange(3, table, kElastic, kKey, values).value().live_groups, 2);
  EXPECT_EQ(values[0], 6);
  for (std::int64_t node = 0; node < 4; ++node) EXPECT_FALSE(cores.core(node).failure());
}

TEST_F(Rejoin, NeedsNoLossToBeNoticedFirst) {
  cores.kill(3);
  cores.restart(3);
  cores.run();
  EXPECT_EQ(cores.core(0).groups().view().live, std::vector<std::int64_t>{0});
  EXPECT_EQ(cores.open(3, spec).value(), table);
}

TEST_F(Rejoin, TablesThatAreOpenedMeanwhileAreThereToo) {
  cores.kill(3);
  cores.pass(seconds(5));
  TableSpec other = spec;
  other.name = "other";
  const TableId id = cores.open(2, other).value();
  cores.restart(3);
  EXPECT_EQ(cores.open(3, other).value(), id);
  other.name = "later";
  EXPECT_TRUE(cores.open(2, other).ok());
  cores.run();
  EXPECT_TRUE(cores.tables(3).find(other).value().has_value());
}

TEST_F(Rejoin, FramesOfTheLifeBeforeNeverCount) {
  std::vector<float> values{8};
  ExchangeMemory memory;
  const Incarnation before = cores.life_of(3);
  auto begun = cores.begin(3, table, kElastic, kKey, values, memory).value();
  // It is held up until the new life is there.
  const WiredCores::OnTheWay held = cores.on_the_way().back();
  cores.kill(3);
  cores.restart(3);
  cores.run();
  const std::int64_t owner = held.to.value();
  // The process was only frozen, and connects once more.
  cores.core(owner).on_up(NodeId{3}, before, cores.now);
  cores.core(owner).on_frame(NodeId{3}, held.frame, cores.now);
  EXPECT_EQ(cores.row(table, 0)[0], 0);
  // The new life connects again, and goes on as if nothing had been.
  cores.core(owner).on_up(NodeId{3}, cores.life_of(3), cores.now);
  EXPECT_EQ(cores.open(3, spec).value(), table);
  values = {8};
  EXPECT_TRUE(cores.exchange(3, table, kElastic, kKey, values).ok());
  EXPECT_NE(cores.row(table, 0)[0], 0);
}

TEST_F(Rejoin, ALifeThatIsOverMayNotConnectAgain) {
  const Incarnation before = cores.life_of(3);
  EXPECT_TRUE(cores.core(0).may_connect(NodeId{3}, before));
  cores.kill(3);
  cores.pass(seconds(5));
  EXPECT_FALSE(cores.core(0).may_connect(NodeId{3}, before));
  cores.restart(3);
  cores.run();
  EXPECT_FALSE(cores.core(0).may_connect(NodeId{3}, before));
  EXPECT_TRUE(cores.core(0).may_connect(NodeId{3}, cores.life_of(3)));
  // If it does all the same, it is not heard, and the new life goes on.
  cores.core(0).on_up(NodeId{3}, before, cores.now);
  EXPECT_FALSE(cores.core(0).failure());
}

TEST_F(Rejoin, RanksThatHaveJoinedAreNotWaitedForAtBarriers) {
  const TicketId early = enter_barrier(0);
  EXPECT_FALSE(is_done(0, early));
  enter_barrier(1);
  EXPECT_TRUE(is_done(0, early));
  EXPECT_EQ(cores.core(1).barriers().absent(), (std::vector<NodeId>{NodeId{2}, NodeId{3}}));
  // That its process ends then changes nothing.
  cores.kill(3);
  cores.pass(seconds(5));
  enter_barrier(0);
  EXPECT_TRUE(is_done(1, enter_barrier(1)));
  EXPECT_EQ(cores.core(1).barriers().absent().size(), 2);
}

TEST_F(RejoinEarly, BarriersGoOnWithoutItAndThenWithItAgain) {
  cores.kill(3);
  cores.pass(seconds(5));
  std::array<TicketId, 3> first{enter_barrier(0), enter_barrier(1), enter_barrier(2)};
  EXPECT_TRUE(is_done(2, first[2]));
  EXPECT_EQ(cores.core(1).barriers().absent(), std::vector<NodeId>{NodeId{3}});
  cores.restart(3);
  // Its first is that of the start, which the others have passed.
  EXPECT_TRUE(is_done(3, enter_barrier(3)));
  enter_barrier(0);
  enter_barrier(1);
  EXPECT_TRUE(is_done(2, enter_barrier(2))) << "it is not waited for before it comes";
  const TicketId early = enter_barrier(3);
  EXPECT_FALSE(is_done(3, early));
  enter_barrier(0);
  enter_barrier(1);
  const TicketId last = enter_barrier(2);
  EXPECT_TRUE(is_done(3, early));
  EXPECT_TRUE(is_done(2, last));
  EXPECT_TRUE(cores.core(2).barriers().absent().empty());
  enter_barrier(0);
  enter_barrier(1);
  const TicketId waiting = enter_barrier(2);
  EXPECT_FALSE(is_done(2, waiting)) << "now it is";
  EXPECT_TRUE(is_done(3, enter_barrier(3)));
  EXPECT_TRUE(is_done(2, waiting));
}

TEST_F(Rejoin, AfterAFarewellServersWaitForWhoIsLost) {
  const TicketId bye0 = say_bye(0);
  const TicketId bye1 = say_bye(1);
  say_bye(2);
  cores.kill(3);
  cores.pass(seconds(5));
  EXPECT_FALSE(is_done(0, bye0));
  cores.restart(3);
  cores.run();
  EXPECT_EQ(cores.open(3, spec).value(), table);
  EXPECT_FALSE(is_done(0, bye0));
  const TicketId bye3 = say_bye(3);
  EXPECT_TRUE(is_done(3, bye3)) << "it was told that the servers have";
  EXPECT_TRUE(is_done(0, bye0));
  EXPECT_TRUE(is_done(1, bye1));
}

TEST_F(Rejoin, ButNotForEver) {
  const TicketId bye = say_bye(0);
  say_bye(1);
  say_bye(2);
  cores.kill(3);
  cores.pass(seconds(5));
  EXPECT_LE(cores.core(0).next_timer(), cores.now + seconds(30));
  cores.pass(seconds(29));
  EXPECT_FALSE(is_done(0, bye));
  cores.pass(seconds(1));
  EXPECT_TRUE(is_done(0, bye));
  EXPECT_FALSE(cores.core(0).failure());
}

TEST_F(Rejoin, RanksDoNotHearOfEachOther) {
  cores.kill(3);
  for (int i = 0; i < 60; ++i) cores.pass(seconds(1));
  EXPECT_FALSE(cores.core(2).failure());
  say_bye(0);
  say_bye(1);
  EXPECT_TRUE(is_done(2, say_bye(2)));
}

TEST_F(Rejoin, TablesWhoseRowsMoveAreRefused) {
  TableSpec other = spec;
  other.name = "moving";
  other.placement = Placement::kIntent;
  const auto opened = cores.open(2, other);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr("must be static and async"));
}

TEST_F(Rejoin, AServerThatIsLostStillEndsTheJob) {
  cores.kill(1);
  cores.pass(seconds(5));
  EXPECT_TRUE(cores.core(0).failure().has_value());
  EXPECT_TRUE(cores.core(2).failure().has_value());
}

TEST_F(Rejoin, SeveralLivesInARow) {
  for (int i = 0; i < 5; ++i) {
    cores.kill(3);
    if (i % 2 == 0) cores.pass(seconds(6));
    cores.restart(3);
    EXPECT_EQ(cores.open(3, spec).value(), table);
    ASSERT_FALSE(cores.finish(3, cores.begin_join(3, {.group = 1})).error);
    std::vector<float> values{1};
    EXPECT_EQ(cores.exchange(3, table, kElastic, kKey, values).value().live_groups, 2);
  }
}

TEST_F(Rejoin, WhatIsKnownOfARankIsForgottenWithIt) {
  std::vector<float> values{8};
  ExchangeMemory memory;
  const ExchangeOptions options{.compression = {.codec = ExchangeCodec::kBf16}};
  cores.exchange(3, table, options, kKey, values, memory).value();
  NodeCore& owner = cores.core(cores.core(0).map().home(table, 0).value());
  EXPECT_EQ(owner.groups().exchanges().shadows().rows(), 1U);
  cores.kill(3);
  cores.restart(3);
  EXPECT_EQ(owner.groups().exchanges().shadows().rows(), 0U);
}

}  // namespace
}  // namespace godwit
