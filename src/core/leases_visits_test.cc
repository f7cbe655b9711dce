// core/leases_visits_test.cc: visits that stay, are exchanged, flushed and end.
#include <chrono>

#include "core/leases_fixture.h"

namespace godwit {
namespace {

TEST_F(LeasesTest, AVisitThatIsWantedAgainIsExchanged) {
  start();
  LeaseRows first = visit({theirs_});
  first.refs[0].row[0] += 3;
  LeaseRows second = acquire({theirs_});
  EXPECT_EQ(first.refs[0].row, second.refs[0].row);
  push_at_owner(theirs_, 10);
  settle_visits();
  EXPECT_EQ(cores_.core(0).visits().counts().exchanged, 1U);
  first.refs[0].row[0] += 4;  // while it is under way
  cores_.run();
  EXPECT_EQ(value(1, theirs_), 13);
  EXPECT_EQ(first.refs[0].row[0], 17);
  EXPECT_EQ(stage(theirs_), Stage::kVisiting);
  release(first);
  release(second);
  end_all();
  EXPECT_EQ(value(1, theirs_), 17);
  EXPECT_FALSE(is_there(theirs_));
}

TEST_F(LeasesTest, AVisitThatWasNotUsedSinceItsExchangeEnds) {
  start();
  LeaseRows first = acquire({theirs_});
  LeaseRows second = acquire({theirs_});
  cores_.run();
  LeaseRows third = acquire({theirs_});
  release(first);
  release(second);
  release(third);
  settle_visits();
  cores_.run();
  EXPECT_TRUE(is_there(theirs_)) << "it was used more than once: it stays";
  settle_visits();
  EXPECT_EQ(cores_.run(), 0U) << "there is nothing to give back";
  EXPECT_FALSE(is_there(theirs_));
  EXPECT_TRUE(leases().is_quiet());
}

TEST_F(LeasesTest, AVisitThatNobodyUsesAnyMoreEndsByItself) {
  start();
  LeaseRows first = acquire({theirs_});
  cores_.run();
  LeaseRows second = acquire({theirs_}, true);
  ASSERT_TRUE(leases().settle(first));
  first.refs[0].row[0] += 2;
  release(first);
  release(second);
  for (int i = 0; i < 3; ++i) cores_.pass(std::chrono::milliseconds(30));
  EXPECT_FALSE(is_there(theirs_));
  EXPECT_EQ(value(1, theirs_), 2);
  EXPECT_TRUE(leases().is_quiet());
}

TEST_F(LeasesTest, WhatIsUsedOftenIsExchangedBeforeItsTime) {
  start();
  LeaseRows first = visit({theirs_});
  std::uint64_t exchanged = 0;
  for (int i = 0; i < 1024; ++i) {
    LeaseRows lease = acquire({theirs_}, true);
    lease.refs[0].row[0] += 1;
    release(lease);
    leases().settle_visits(cores_.now);  // none of it has been here for any time
    cores_.run();
    exchanged = cores_.core(0).visits().counts().exchanged;
    if (cores_.core(0).shared().owns({table_, theirs_})) break;
  }
  EXPECT_GE(exchanged, 2U);
  EXPECT_LE(exchanged, 16U);
  release(first);
}

TEST_F(LeasesTest, AFlushSendsChangesAndAskedForItBringsRowsAnew) {
  start();
  LeaseRows lease = visit({theirs_});
  push_at_owner(theirs_, 10);
  EXPECT_TRUE(cores_.core(0).round(cores_.now, Flush::kChanges));
  EXPECT_EQ(cores_.run(), 0U) << "nothing was changed here";
  lease.refs[0].row[0] += 3;
  EXPECT_TRUE(cores_.core(0).round(cores_.now, Flush::kChanges));
  EXPECT_FALSE(cores_.core(0).round(cores_.now, Flush::kChanges)) << "it is on its way";
  cores_.run();
  EXPECT_EQ(value(1, theirs_), 13);
  EXPECT_EQ(lease.refs[0].row[0], 3);
  EXPECT_TRUE(cores_.core(0).round(cores_.now, Flush::kRefresh));
  cores_.run();
  EXPECT_EQ(lease.refs[0].row[0], 13);
  release(lease);
}

TEST_F(LeasesTest, AFlushWaitsForWhatItsOwnRoundHasSent) {
  start();
  LeaseRows lease = visit({theirs_});
  lease.refs[0].row[0] += 3;
  Waits& waits = cores_.core(0).waits();
  const TicketId ticket = waits.reserve();
  cores_.core(0).round(cores_.now, Flush::kChanges);
  cores_.core(0).flush(ticket);
  EXPECT_FALSE(waits.is_done(ticket));
  cores_.run();
  EXPECT_TRUE(waits.is_done(ticket));
  (void)waits.take(ticket);
  release(lease);
}

TEST_F(LeasesTest, ARowThatCameBackSoonStaysForAWhile) {
  start();
  for (int i = 0; i < 2; ++i) {
    LeaseRows lease = visit({theirs_});
    release(lease);
    cores_.now += std::chrono::microseconds(200);
    leases().send(cores_.now);
    EXPECT_EQ(is_there(theirs_), i == 1);
  }
}

// Under policies that know no copies, too.
TEST_F(LeasesTest, AFlushGivesBackWhatVisitsHaveSoFar) {
  start(Placement::kRelocateOnly);
  LeaseRows other{.table = table_, .rows = cores_.tables(1).find(table_), .keys = {theirs_}};
  cores_.core(1).leases().acquire(other, cores_.now);
  LeaseRows lease = acquire({theirs_});
  cores_.run();
  ASSERT_TRUE(leases().settle(lease)) << "it was refused, so it is visited";
  lease.refs[0].row[0] += 7;
  end_all();
  EXPECT_EQ(value(1, theirs_), 7);
  lease.refs[0].row[0] += 1;
  release(lease);
  end_all();
  EXPECT_EQ(value(1, theirs_), 8);
}

}  // namespace
}  // namespace godwit
