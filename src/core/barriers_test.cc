// core/barriers_test.cc: nobody goes on before all have come.
#include "core/barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/core_fixture.h"

namespace godwit {
namespace {

class BarriersTest : public testing::Test {
 protected:
  BarriersTest() { cores_.connect(); }

  TicketId enter(std::int64_t node) {
    const TicketId ticket = cores_.core(node).waits().reserve();
    cores_.core(node).enter_barrier(ticket);
    cores_.run();
    return ticket;
  }
  bool is_done(std::int64_t node, TicketId ticket) {
    return cores_.core(node).waits().is_done(ticket);
  }
  template <class Message>
  bool is_lost_for(std::int64_t at, std::int64_t from, const Message& message) {
    cores_.core(at).on_frame(NodeId{from}, make_frame(kFirstTerm, message), cores_.now);
    return cores_.core(at).members().is_lost(NodeId{from});
  }

  WiredCores cores_;
};

TEST_F(BarriersTest, TheLastToComeReleasesAll) {
  for (std::int64_t last = 0; last < 3; ++last) {
    const std::int64_t a = (last + 1) % 3;
    const std::int64_t b = (last + 2) % 3;
    const TicketId of_a = enter(a);
    const TicketId of_b = enter(b);
    EXPECT_FALSE(is_done(a, of_a));
    EXPECT_FALSE(is_done(b, of_b));
    const TicketId of_last = enter(last);
    EXPECT_TRUE(is_done(a, of_a));
    EXPECT_TRUE(is_done(b, of_b));
    EXPECT_TRUE(is_done(last, of_last));
  }
}

TEST_F(BarriersTest, TheCoordinatorNamesThoseThatHaveNotCome) {
  enter(1);
  const TicketId ticket = enter(0);
  const std::string text = cores_.core(0).describe(ticket, cores_.now);
  EXPECT_THAT(text, testing::HasSubstr("waiting for node 2"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("node 0")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("node 1")));
}

TEST_F(BarriersTest, OneAtTheNextBarrierDoesNotCountForThisOne) {
  const TicketId first = enter(1);
  const TicketId second = enter(1);
  enter(2);
  EXPECT_FALSE(is_done(1, first));
  enter(0);
  EXPECT_TRUE(is_done(1, first));
  EXPECT_FALSE(is_done(1, second));
}

TEST_F(BarriersTest, ANodeThatNoLongerWaitsHoldsUpNobody) {
  const TicketId given_up = enter(1);
  cores_.core(1).waits().abandon(given_up);
  const TicketId of_2 = enter(2);
  const TicketId of_0 = enter(0);
  EXPECT_TRUE(is_done(2, of_2));
  EXPECT_TRUE(is_done(0, of_0));
  EXPECT_FALSE(cores_.core(1).failure());
  EXPECT_EQ(cores_.core(1).waits().open(), 0);
}

TEST(Barriers, AJobOfOneNodeGoesOnAtOnce) {
  WiredCores cores({.nodes = 1});
  const TicketId ticket = cores.core(0).waits().reserve();
  cores.core(0).enter_barrier(ticket);
  EXPECT_TRUE(cores.core(0).waits().is_done(ticket));
}

TEST_F(BarriersTest, ComingTwiceIsCorruption) {
  enter(1);
  EXPECT_TRUE(is_lost_for(0, 1, Barrier{.number = 1, .node = NodeId{1}}));
}

TEST_F(BarriersTest, ComingOutOfTurnIsCorruption) {
  EXPECT_TRUE(is_lost_for(0, 1, Barrier{.number = 2, .node = NodeId{1}}));
}

TEST_F(BarriersTest, ComingForAnotherNodeIsCorruption) {
  EXPECT_TRUE(is_lost_for(0, 2, Barrier{.number = 1, .node = NodeId{1}}));
}

TEST_F(BarriersTest, OnlyTheCoordinatorIsTold) {
  EXPECT_TRUE(is_lost_for(1, 2, Barrier{.number = 1, .node = NodeId{2}}));
}

TEST_F(BarriersTest, OnlyTheCoordinatorReleases) {
  enter(1);
  EXPECT_TRUE(is_lost_for(1, 2, Released{.number = 1}));
}

TEST_F(BarriersTest, AReleaseFromWhereNobodyIsIsCorruption) {
  EXPECT_TRUE(is_lost_for(1, 0, Released{.number = 1}));
}

}  // namespace
}  // namespace godwit
