// core/node_core_test.cc: losses, failure, beats and farewell of the whole state machine.
#include "core/node_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "core/core_fixture.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const TableSpec kSpec{.name = "t", .rows = 1000, .row_length = 2};

class NodeCoreTest : public testing::Test {
 protected:
  NodeCoreTest() { cores_.connect(); }

  NodeCore& core(std::int64_t node) { return cores_.core(node); }
  TicketId enter(std::int64_t node) {
    const TicketId ticket = core(node).waits().reserve();
    core(node).enter_barrier(ticket);
    return ticket;
  }
  TicketId say_bye(std::int64_t node) {
    const TicketId ticket = core(node).waits().reserve();
    core(node).say_bye(ticket);
    return ticket;
  }
  bool is_done(std::int64_t node, TicketId ticket) { return core(node).waits().is_done(ticket); }
  // Node `node` dies without a word: the others' connections to it break.
  void kill(std::int64_t node) {
    for (std::int64_t i = 0; i < cores_.nodes(); ++i) {
      if (i != node) core(i).on_down(NodeId{node}, unavailable("reset by peer"), cores_.now);
    }
  }
  std::size_t beats_on_the_way() {
    std::size_t beats = 0;
    for (const auto& next : cores_.on_the_way()) beats += type_of(next.frame) == PartType::kBeat;
    cores_.run();
    return beats;
  }

  WiredCores cores_;
};

TEST_F(NodeCoreTest, AMalformedFrameLosesItsSenderAndFailsAllThatWait) {
  const TicketId ticket = enter(0);
  const auto garbage = Frame::make(40);
  std::fill(garbage->bytes().begin(), garbage->bytes().end(), std::byte{0x77});
  core(0).on_frame(NodeId{2}, garbage, cores_.now);
  EXPECT_TRUE(core(0).members().is_lost(NodeId{2}));
  EXPECT_FALSE(core(0).members().is_lost(NodeId{1}));
  ASSERT_TRUE(core(0).failure());
  EXPECT_EQ(core(0).failure()->code(), ErrorCode::kUnavailable);
  EXPECT_THAT(core(0).failure()->message(), HasSubstr("node 2 is lost: frame: wire version"));
  ASSERT_TRUE(is_done(0, ticket));
  EXPECT_EQ(core(0).waits().take(ticket).error->message(), core(0).failure()->message());
}

TEST_F(NodeCoreTest, AFrameOutOfOrderLosesItsSender) {
  const auto frame = make_frame(kFirstTerm, Beat{});
  stamp_frame(*frame, 5, 0);
  core(0).on_frame(NodeId{1}, frame, cores_.now);
  EXPECT_THAT(core(0).failure()->message(), HasSubstr("frame 5 of node 1 came after frame 0"));
}

TEST_F(NodeCoreTest, ARepeatedFrameIsHandledOnce) {
  enter(1);
  const FramePtr frame = cores_.on_the_way().front().frame;
  cores_.run();
  core(0).on_frame(NodeId{1}, frame, cores_.now);  // handled twice it would be corruption
  EXPECT_FALSE(core(0).failure());
}

TEST_F(NodeCoreTest, ALostPeerIsNotHeardAndNotConnectedAgain) {
  core(0).on_up(NodeId{1}, Incarnation{99}, cores_.now);
  EXPECT_THAT(core(0).failure()->message(), HasSubstr("node 1 is lost: it was restarted"));
  core(0).on_up(NodeId{1}, Incarnation{2}, cores_.now);
  EXPECT_FALSE(core(0).members().is_up(NodeId{1}));
  core(0).on_frame(NodeId{1}, make_frame(kFirstTerm, Bye{}), cores_.now);
  EXPECT_FALSE(core(0).members().has_left(NodeId{1}));
}

TEST_F(NodeCoreTest, ANodeWhoseConnectionStaysAwayFailsTheJobInTime) {
  const TicketId ticket = enter(0);
  kill(2);
  core(0).on_timer(cores_.now + milliseconds(4999));
  EXPECT_FALSE(is_done(0, ticket));
  EXPECT_LE(core(0).next_timer(), cores_.now + seconds(5));
  core(0).on_timer(cores_.now + seconds(5));
  ASSERT_TRUE(is_done(0, ticket));
  const Error error = *core(0).waits().take(ticket).error;
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("node 2 is lost"));
  EXPECT_THAT(error.message(), HasSubstr("reset by peer"));
}

TEST_F(NodeCoreTest, TicketsAfterTheFailureFailAtOnce) {
  const TableId table = cores_.open(0, kSpec).value();
  core(0).on_up(NodeId{2}, Incarnation{99}, cores_.now);
  const std::string why = core(0).failure()->message();
  EXPECT_EQ(cores_.pull(0, table, cores_.keys_of(1, table, 2), 2).error().message(), why);
  EXPECT_EQ(cores_.open(0, {.name = "u", .rows = 5, .row_length = 1}).error().message(), why);
  EXPECT_EQ(cores_.finish(0, enter(0)).error->message(), why);
  EXPECT_EQ(core(0).waits().open(), 0);
}

TEST_F(NodeCoreTest, TheFirstLossIsTheFailure) {
  core(0).on_up(NodeId{2}, Incarnation{99}, cores_.now);
  core(0).on_up(NodeId{1}, Incarnation{99}, cores_.now);
  EXPECT_THAT(core(0).failure()->message(), HasSubstr("node 2"));
}

TEST_F(NodeCoreTest, BeatsGoToEveryPeerOncePerInterval) {
  core(0).on_timer(cores_.now + milliseconds(999));
  EXPECT_EQ(beats_on_the_way(), 0);
  core(0).on_timer(cores_.now + seconds(1));
  EXPECT_EQ(beats_on_the_way(), 2);
  core(0).on_timer(cores_.now + milliseconds(1999));
  EXPECT_EQ(beats_on_the_way(), 0);
  EXPECT_EQ(core(0).next_timer(), cores_.now + seconds(2));
  core(0).on_timer(cores_.now + seconds(2));
  EXPECT_EQ(beats_on_the_way(), 2);
}

TEST_F(NodeCoreTest, BeatsKeepAnIdleJobAlive) {
  for (int i = 0; i < 100; ++i) cores_.pass(seconds(1));
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_FALSE(core(node).failure());
}

TEST_F(NodeCoreTest, AJobOfOneNodeNeedsNoTimer) {
  WiredCores alone({.nodes = 1});
  EXPECT_EQ(alone.core(0).next_timer(), Time::max());
  const TicketId ticket = alone.core(0).waits().reserve();
  alone.core(0).say_bye(ticket);
  EXPECT_TRUE(alone.core(0).waits().is_done(ticket));
}

TEST_F(NodeCoreTest, AFarewellIsDoneWhenAllHaveSaidIt) {
  const TicketId of_0 = say_bye(0);
  const TicketId of_1 = say_bye(1);
  cores_.run();
  EXPECT_FALSE(is_done(0, of_0));
  EXPECT_FALSE(is_done(1, of_1));
  const TicketId of_2 = say_bye(2);
  EXPECT_FALSE(cores_.finish(0, of_0).error);
  EXPECT_FALSE(cores_.finish(1, of_1).error);
  EXPECT_FALSE(cores_.finish(2, of_2).error);
  kill(1);
  cores_.pass(seconds(100));
  EXPECT_FALSE(core(0).failure()) << "its work is done";
}

TEST_F(NodeCoreTest, ANodeThatSaidGoodbyeStillServes) {
  const TableId table = cores_.open(0, kSpec).value();
  say_bye(1);
  EXPECT_TRUE(cores_.pull(0, table, cores_.keys_of(1, table, 2), 2).ok());
}

TEST_F(NodeCoreTest, ANodeThatDiesAfterItsGoodbyeIsALossToThoseThatStay) {
  say_bye(1);
  cores_.run();
  const TicketId ticket = enter(0);
  kill(1);
  core(0).on_timer(cores_.now + seconds(5));
  ASSERT_TRUE(is_done(0, ticket));
  EXPECT_THAT(core(0).waits().take(ticket).error->message(), HasSubstr("node 1 is lost"));
}

TEST_F(NodeCoreTest, AFarewellEndsWhenAPeerIsLost) {
  const TicketId ticket = say_bye(0);
  say_bye(1);
  cores_.run();
  kill(2);
  core(0).on_timer(cores_.now + seconds(5));
  ASSERT_TRUE(is_done(0, ticket));
  EXPECT_THAT(core(0).waits().take(ticket).error->message(), HasSubstr("node 2 is lost"));
}

TEST_F(NodeCoreTest, AfterAFailureAFarewellWaitsForNobodyAndTellsTheOthersWhy) {
  const TicketId of_1 = enter(1);
  cores_.run();
  core(0).on_up(NodeId{2}, Incarnation{99}, cores_.now);
  const TicketId ticket = say_bye(0);
  EXPECT_TRUE(is_done(0, ticket));
  EXPECT_FALSE(core(0).waits().take(ticket).error);
  for (const auto& next : cores_.on_the_way()) EXPECT_EQ(next.to, NodeId{1});
  cores_.run();
  ASSERT_TRUE(is_done(1, of_1));
  EXPECT_THAT(core(1).waits().take(of_1).error->message(),
              HasSubstr("node 0 gave up: node 2 is lost"));
}

TEST_F(NodeCoreTest, AWaitSaysWhatItWaitsForAndHowThatIs) {
  const TicketId ticket = enter(1);
  cores_.run();
  EXPECT_EQ(core(1).describe(ticket, cores_.now + milliseconds(6300)),
            "barrier, waiting for node 0, last heard 6.3 s ago");
}

TEST_F(NodeCoreTest, WhatWasSentBeforeTheConnectionArrivesAfterIt) {
  WiredCores late;
  const TicketId ticket = late.core(1).waits().reserve();
  late.core(1).open_table(ticket, kSpec);
  late.run();
  EXPECT_FALSE(late.core(1).waits().is_done(ticket));
  late.connect();
  EXPECT_FALSE(late.finish(1, ticket).error);
}

}  // namespace
}  // namespace godwit
