// clock/clock_test.cc: ticks of workers, of nodes, and what must be stable to read.
#include <gtest/gtest.h>

#include "clock/stable_tick.h"
#include "clock/staleness.h"
#include "clock/worker_ticks.h"

namespace godwit {
namespace {

TEST(WorkerTicks, ExpectedWorkersCountBeforeTheyBegin) {
  WorkerTicks ticks(2);
  EXPECT_EQ(ticks.ended(), kNoTick);
  ticks.advance(WorkerId{0}, Tick{5});
  EXPECT_EQ(ticks.ended(), kNoTick);
  EXPECT_EQ(ticks.slowest().worker, WorkerId{1});
  ticks.advance(WorkerId{1}, Tick{3});
  EXPECT_EQ(ticks.ended(), Tick{2});
}

TEST(WorkerTicks, WhoEndsIsNotWaitedFor) {
  WorkerTicks ticks(1);
  ticks.begin(WorkerId{1}, Tick{4});
  ticks.end(WorkerId{0});
  EXPECT_EQ(ticks.ended(), Tick{3});
  ticks.end(WorkerId{1});
  EXPECT_EQ(ticks.ended(), kEndOfTime);
  EXPECT_TRUE(ticks.empty());
}

TEST(StableTick, IsTheLowestOfAllNodes) {
  StableTick ticks(3);
  EXPECT_EQ(ticks.stable(), kNoTick);
  EXPECT_FALSE(ticks.hear(NodeId{0}, Tick{4}));
  EXPECT_FALSE(ticks.hear(NodeId{1}, Tick{2}));
  EXPECT_EQ(ticks.slowest(), NodeId{2});
  EXPECT_TRUE(ticks.hear(NodeId{2}, Tick{7}));
  EXPECT_EQ(ticks.stable(), Tick{2});
  EXPECT_EQ(ticks.slowest(), NodeId{1});
}

TEST(StableTick, NodesWithoutWorkersDoNotCount) {
  StableTick ticks(2);
  ticks.hear(NodeId{1}, kEndOfTime);
  EXPECT_TRUE(ticks.hear(NodeId{0}, Tick{6}));
  EXPECT_EQ(ticks.stable(), Tick{6});
  EXPECT_FALSE(ticks.hear(NodeId{0}, kEndOfTime)) << "nobody is left to end a tick";
  EXPECT_EQ(ticks.stable(), Tick{6});
}

TEST(StableTick, WhoJoinsCountsFromThePresentOn) {
  StableTick ticks(2);
  ticks.hear(NodeId{1}, kEndOfTime);
  ticks.hear(NodeId{0}, Tick{6});
  ticks.join(NodeId{1});
  EXPECT_FALSE(ticks.hear(NodeId{0}, Tick{9}));
  EXPECT_EQ(ticks.stable(), Tick{6});
  EXPECT_TRUE(ticks.hear(NodeId{1}, Tick{8}));
  EXPECT_EQ(ticks.stable(), Tick{8});
}

TEST(StableTick, NeverFalls) {
  StableTick ticks(2);
  EXPECT_TRUE(ticks.claim(Tick{5}));
  EXPECT_FALSE(ticks.claim(Tick{4}));
  ticks.hear(NodeId{0}, Tick{2});
  EXPECT_FALSE(ticks.hear(NodeId{1}, Tick{2}));
  EXPECT_EQ(ticks.stable(), Tick{5});
  ticks.hear(NodeId{0}, Tick{1});
  EXPECT_EQ(ticks.flushed(NodeId{0}), Tick{2});
}

TEST(Staleness, AReadSeesAllTicksButTheLastFew) {
  EXPECT_EQ(needed_to_read(Tick{7}, 0), Tick{6});
  EXPECT_EQ(needed_to_read(Tick{7}, 2), Tick{4});
  EXPECT_EQ(needed_to_read(Tick{1}, 4), kNoTick);
  EXPECT_EQ(needed_to_begin(Tick{8}, 2), Tick{4});
}

}  // namespace
}  // namespace godwit
