// core/clocks_test.cc: what nodes tell each other of their workers' ticks.
#include "core/clocks.h"

#include <gmock/gmock.h>

#include "base/errors.h"
#include "core/core_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

class ClocksTest : public testing::Test {
 protected:
  void start(std::int64_t staleness = 0) {
    cores_.connect();
    const Consistency consistency{.kind = ConsistencyKind::kSsp, .staleness = staleness};
    table_ = cores_.open(0, {.name = "t", .rows = 100, .row_length = 2, .consistency = consistency})
                 .value();
  }
  Tick stable(std::int64_t node) { return cores_.core(node).clocks().stable(); }
  void advance(std::int64_t node, std::int64_t to) {
    cores_.core(node).advance(WorkerId{0}, Tick{to}, cores_.now);
  }

  WiredCores cores_{{.nodes = 3, .workers = 1}};
  TableId table_;
};

TEST_F(ClocksTest, StableIsWhatAllHaveEnded) {
  start();
  advance(0, 3);
  advance(1, 2);
  cores_.run();
  EXPECT_EQ(stable(0), kNoTick);
  advance(2, 5);
  cores_.run();
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_EQ(stable(node), Tick{1});
}

TEST_F(ClocksTest, WithoutABoundedTableNothingIsSaid) {
  cores_.connect();
  cores_.open(0, {.name = "t", .rows = 100, .row_length = 2}).value();
  advance(0, 3);
  EXPECT_EQ(cores_.run(), 0U);
}

TEST_F(ClocksTest, ATickIsFlushedWhenItsChangesHaveArrived) {
  start();
  const Key theirs = cores_.keys_of(1, table_, 1)[0];
  LeaseRows lease{.table = table_, .rows = cores_.tables(0).find(table_), .keys = {theirs}};
  lease.need = kNoTick;
  Leases& leases = cores_.core(0).leases();
  leases.acquire(lease, cores_.now);
  cores_.run();
  ASSERT_TRUE(leases.settle(lease));
  lease.refs[0].row[0] += 1;
  leases.note_written(lease);
  advance(0, 1);
  advance(1, 1);
  advance(2, 1);
  EXPECT_EQ(cores_.core(0).clocks().flushed(NodeId{0}), kNoTick);
  cores_.run();
  EXPECT_EQ(cores_.core(0).clocks().flushed(NodeId{0}), Tick{0});
  EXPECT_EQ(stable(2), Tick{0});
  leases.release(lease, cores_.now);
}

TEST_F(ClocksTest, ARowIsAskedForWhenWhatComesIsFreshEnough) {
  start();
  const Key theirs = cores_.keys_of(1, table_, 1)[0];
  LeaseRows lease{.table = table_, .rows = cores_.tables(0).find(table_), .keys = {theirs}};
  lease.need = Tick{0};
  Leases& leases = cores_.core(0).leases();
  leases.acquire(lease, cores_.now);
  leases.send(cores_.now);
  EXPECT_EQ(cores_.run(), 0U) << "what came now would be too old";
  const TicketId ticket = cores_.core(0).waits().reserve();
  leases.wait(lease, ticket, cores_.now);
  EXPECT_THAT(cores_.core(0).describe(ticket, cores_.now),
              HasSubstr("lease of 1 keys, waiting for worker 0 of node 0, in tick 0"));
  for (std::int64_t node = 0; node < 3; ++node) advance(node, 1);
  while (stable(0) < Tick{0}) cores_.deliver();
  EXPECT_THAT(cores_.core(0).describe(ticket, cores_.now),
              HasSubstr("lease of 1 keys, 1 of which are on their way, waiting for node 1, last"));
  cores_.run();
  EXPECT_TRUE(leases.settle(lease));
  (void)cores_.core(0).waits().take(ticket);
  EXPECT_FALSE(leases.set_need(lease, Tick{1}, cores_.now)) << "tick 1 has not ended";
  for (std::int64_t node = 0; node < 3; ++node) advance(node, 2);
  cores_.run();
  EXPECT_TRUE(leases.settle(lease));
  leases.release(lease, cores_.now);
}

TEST_F(ClocksTest, NobodyBelievesThatLostChangesHaveArrived) {
  start();
  for (std::int64_t node = 0; node < 3; ++node) advance(node, 1);
  cores_.run();
  NodeCore& loser = cores_.core(1);
  loser.lose_changes(unavailable("no way to node 2"));
  loser.end_worker(WorkerId{0}, cores_.now);
  advance(0, 5);
  advance(2, 5);
  cores_.run();
  EXPECT_EQ(stable(0), Tick{0});
  ASSERT_TRUE(loser.loss());
  EXPECT_THAT(loser.loss()->message(), HasSubstr("no way to node 2"));
}

TEST_F(ClocksTest, WhoJoinsBeginsAfterAllThatIsStable) {
  start();
  cores_.core(2).end_worker(WorkerId{0}, cores_.now);
  advance(0, 7);
  advance(1, 9);
  cores_.run();
  EXPECT_EQ(stable(0), Tick{6});
  NodeCore& joiner = cores_.core(2);
  const TicketId ticket = joiner.waits().reserve();
  joiner.begin_worker(ticket, WorkerId{1}, cores_.now);
  advance(0, 12);  // it may be known before the joiner counts again
  cores_.run();
  EXPECT_TRUE(joiner.waits().is_done(ticket));
  (void)joiner.waits().take(ticket);
  const Tick begun = joiner.clocks().tick_of(WorkerId{1});
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_LT(stable(node), begun);
  advance(0, 20);
  advance(1, 20);
  cores_.run();
  EXPECT_LT(stable(0), begun) << "it is waited for";
}

TEST_F(ClocksTest, WhoJoinsBeginsAfterAllThatOthersEndedWith) {
  start();
  cores_.core(2).end_worker(WorkerId{0}, cores_.now);
  advance(0, 7);
  advance(1, 5);
  cores_.core(0).end_worker(WorkerId{0}, cores_.now);
  cores_.run();
  EXPECT_EQ(stable(2), Tick{4});
  NodeCore& joiner = cores_.core(2);
  const TicketId ticket = joiner.waits().reserve();
  joiner.begin_worker(ticket, WorkerId{1}, cores_.now);
  cores_.run();
  EXPECT_TRUE(joiner.waits().is_done(ticket));
  (void)joiner.waits().take(ticket);
  EXPECT_EQ(joiner.clocks().tick_of(WorkerId{1}), Tick{8});
}

TEST_F(ClocksTest, WhenAllHaveEndedAllThatTheyDidIsStable) {
  start();
  advance(0, 7);
  advance(1, 5);
  for (std::int64_t node = 0; node < 3; ++node) {
    cores_.core(node).end_worker(WorkerId{0}, cores_.now);
  }
  cores_.run();
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_EQ(stable(node), Tick{7});
}

// Changes of this node may be on their way to the one that is silent: then both are behind.
TEST_F(ClocksTest, OfSeveralWhoAreBehindTheSilentOneIsNamed) {
  start();
  NodeCore& core = cores_.core(0);
  const TicketId ticket = core.waits().reserve();
  core.wait_until_stable(ticket, Tick{1});
  EXPECT_THAT(core.describe(ticket, cores_.now + std::chrono::seconds(3)),
              HasSubstr("waiting for worker 0 of node 1, in tick 0 for 3.0 s"));
}

TEST_F(ClocksTest, WhatIsSaidToBeStableIsBelievedIfItCanBe) {
  start();
  advance(0, 5);
  EXPECT_TRUE(cores_.core(0).clocks().on_stable(shorten(Tick{3})).ok());
  EXPECT_EQ(stable(0), Tick{3});
  EXPECT_TRUE(cores_.core(0).clocks().on_stable(shorten(Tick{2})).ok());
  EXPECT_EQ(stable(0), Tick{3});
  EXPECT_THAT(cores_.core(0).clocks().on_stable(shorten(Tick{5})).error().message(),
              HasSubstr("tick 5 is said to be stable, but this node is in tick 5"));
}

TEST_F(ClocksTest, WhoWaitsKnowsForWhom) {
  start();
  advance(0, 4);
  advance(2, 4);
  cores_.run();
  NodeCore& core = cores_.core(0);
  const TicketId ticket = core.waits().reserve();
  core.wait_until_stable(ticket, Tick{1});
  EXPECT_THAT(core.describe(ticket, cores_.now + std::chrono::seconds(3)),
              HasSubstr("tick, waiting for worker 0 of node 1, in tick 0 for 3.0 s"));
  advance(1, 2);
  cores_.run();
  EXPECT_TRUE(core.waits().is_done(ticket));
  (void)core.waits().take(ticket);
}

TEST_F(ClocksTest, WhoWaitsForItsBeginSaysForWhom) {
  start();
  cores_.core(1).end_worker(WorkerId{0}, cores_.now);
  cores_.run();
  NodeCore& joiner = cores_.core(1);
  const TicketId ticket = joiner.waits().reserve();
  joiner.begin_worker(ticket, WorkerId{1}, cores_.now);
  EXPECT_THAT(joiner.describe(ticket, cores_.now),
              testing::AllOf(HasSubstr("waiting for node 0"), HasSubstr("waiting for node 2")));
  cores_.run();
  EXPECT_TRUE(joiner.waits().is_done(ticket));
  (void)joiner.waits().take(ticket);
}

}  // namespace
}  // namespace godwit
