// core/leases_test.cc: what becomes of rows that are leased: owned, visited, kept, let go.
#include "core/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/leases_fixture.h"

namespace godwit {
namespace {

TEST_F(LeasesTest, RowsOwnedHereAreReadyAtOnceAndNothingIsSent) {
  start();
  LeaseRows lease = acquire({mine_, mine_});
  EXPECT_TRUE(leases().settle(lease));
  EXPECT_EQ(lease.refs[0].row, lease.refs[1].row);
  release(lease);
  EXPECT_EQ(cores_.run(), 0U);
  EXPECT_EQ(cores_.core(0).wanted().size(), 0U);
}

TEST_F(LeasesTest, AVisitBringsARowAndGivesBackWhatWasAdded) {
  start();
  LeaseRows lease = acquire({theirs_, mine_});
  EXPECT_FALSE(leases().settle(lease));
  cores_.run();
  ASSERT_TRUE(leases().settle(lease));
  EXPECT_EQ(stage(theirs_), Stage::kVisiting);
  lease.refs[0].row[0] += 5;
  EXPECT_EQ(value(1, theirs_), 0);
  release(lease);
  end_all();
  EXPECT_EQ(value(1, theirs_), 5);
  EXPECT_FALSE(is_there(theirs_));
  EXPECT_EQ(cores_.core(0).wanted().size(), 0U);
  EXPECT_FALSE(cores_.core(1).shared().has_entries()) << "its owner remembers nothing";
}

// More than one request can carry.
TEST_F(LeasesTest, ManyLargeRowsComeInSeveralAnswers) {
  cores_.connect();
  constexpr std::uint32_t kLong = 50'000;
  table_ = cores_.open(0, {.name = "wide", .rows = 1000, .row_length = kLong}).value();
  const std::vector<Key> keys = cores_.keys_of(1, table_, 60);  // 12 MB
  for (const Key key : keys) {
    RowScratch scratch;
    const std::vector<float> row(kLong, static_cast<float>(key));
    cores_.tables(1).find(table_)->push({&key, 1}, row, scratch).value();
  }
  LeaseRows lease = acquire(keys);
  cores_.run();
  ASSERT_TRUE(leases().settle(lease));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(lease.refs[i].row[kLong - 1], static_cast<float>(keys[i]));
    lease.refs[i].row[0] += 1;
  }
  release(lease);
  end_all();
  for (const Key key : keys) {
    std::vector<float> row(kLong);
    RowScratch scratch;
    cores_.tables(1).find(table_)->pull({&key, 1}, row, scratch).value();
    EXPECT_EQ(row[0], static_cast<float>(key + 1));
  }
}

TEST_F(LeasesTest, AVisitThatIsNotChangedGivesNothingBack) {
  start();
  LeaseRows lease = visit({theirs_});
  release(lease);
  cores_.core(0).round(cores_.now, Flush::kRefresh);
  EXPECT_EQ(cores_.run(), 0U);
  EXPECT_FALSE(is_there(theirs_));
}

TEST_F(LeasesTest, ALeaseThatEndsBeforeItsRowsCameKeepsNone) {
  start();
  LeaseRows lease = acquire({theirs_});
  release(lease);
  cores_.run();
  EXPECT_FALSE(is_there(theirs_));
  EXPECT_EQ(cores_.core(0).wanted().size(), 0U);
}

TEST_F(LeasesTest, ARowUnderAShortLeaseStaysUntilItEnds) {
  start();
  const RowId row{table_, mine_};
  LeaseRows first = acquire({mine_});
  ASSERT_TRUE(leases().settle(first)) << "it is made";
  release(first);
  cores_.now += std::chrono::seconds(1);
  cores_.core(1).shared().note_time(cores_.now);
  for (const bool is_leased : {true, false}) {
    LeaseRows mine = acquire({mine_}, true);
    EXPECT_TRUE(mine.counted.empty() && mine.missing.empty());
    EXPECT_TRUE(cores_.core(0).shared().is_used_here(row));
    if (!is_leased) {
      EXPECT_TRUE(leases().release(mine, cores_.now)) << "nothing is to be done";
    }
    EXPECT_EQ(cores_.core(0).shared().is_used_here(row), is_leased);
    for (int i = 0; i < 8; ++i) {  // node 1 is its only user for long, and asks for it
      LeaseRows theirs{.table = table_, .rows = cores_.tables(1).find(table_), .keys = {mine_}};
      cores_.core(1).leases().acquire(theirs, cores_.now);
      cores_.core(1).leases().send(cores_.now);
      cores_.run();
      cores_.core(1).leases().release(theirs, cores_.now);
      cores_.core(1).round(cores_.now, Flush::kChanges);
      cores_.pass(std::chrono::milliseconds(30));
    }
    EXPECT_EQ(cores_.core(0).shared().owns(row), is_leased);
    EXPECT_EQ(is_there(mine_), is_leased);
    if (is_leased) release(mine);
  }
}

// A worker that stands still keeps its lease, and the others go on.
TEST_F(LeasesTest, LeasesAreCountedWhileTheWindowIsFull) {
  start();
  LeaseRows stalled = acquire({mine_}, true);
  ASSERT_TRUE(leases().settle(stalled));
  int numbered = 0;
  for (bool is_numbered = true; is_numbered && numbered < (1 << 20); ++numbered) {
    LeaseRows lease = acquire({mine_}, true);
    is_numbered = lease.is_short;
    EXPECT_EQ(lease.counted.empty(), is_numbered);
    release(lease);
  }
  EXPECT_LT(numbered, 1 << 20);
  EXPECT_TRUE(cores_.core(0).shared().is_used_here({table_, mine_}));
  release(stalled);
  EXPECT_FALSE(cores_.core(0).shared().is_used_here({table_, mine_}));
  LeaseRows lease = acquire({mine_}, true);
  EXPECT_TRUE(lease.is_short);
  release(lease);
}

// With the answer to an exchange, which must not be taken for an older one.
TEST_F(LeasesTest, AVisitOfItsOnlyUserMovesThere) {
  start();
  LeaseRows lease = visit({theirs_});
  LeaseRows second = acquire({theirs_});
  float* const row = lease.refs[0].row;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(cores_.core(0).shared().owns({table_, theirs_}));
    row[0] += 3;
    settle_visits();
    row[0] += 1;
    cores_.run();
  }
  EXPECT_TRUE(cores_.core(0).shared().owns({table_, theirs_}));
  EXPECT_FALSE(cores_.tables(1).find(table_)->is_there(theirs_));
  EXPECT_EQ(value(0, theirs_), 8);
  EXPECT_EQ(row[0], 8) << "it stays in its place";
  release(lease);
  release(second);
  EXPECT_EQ(cores_.core(0).wanted().size(), 0U);
  end_all();
  EXPECT_TRUE(leases().is_quiet());
}

// Also if nobody has written it, so that there is nothing to be sent.
TEST_F(LeasesTest, WhereFewRowsAreAskedForARowGoesToWhoAsks) {
  start();
  const std::vector<Key> theirs = cores_.keys_of(1, table_, 3);
  push_at_owner(theirs[1], 5);
  cores_.now += std::chrono::seconds(1);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    LeaseRows lease = visit({theirs[i]});
    EXPECT_EQ(cores_.core(0).shared().owns({table_, theirs[i]}), i > 0) << "nothing is known yet";
    EXPECT_EQ(lease.refs[0].row[0], i == 1 ? 5 : 0);
    lease.refs[0].row[0] += 1;
    release(lease);
    end_all();
    EXPECT_EQ(value(i > 0 ? 0 : 1, theirs[i]), i == 1 ? 6 : 1);
    cores_.now += std::chrono::milliseconds(30);
  }
}

// That would be felt in one step, even where there is time to spare.
TEST_F(LeasesTest, ManyRowsThatAreAskedForAtOnceOnlyVisit) {
  start();
  table_ = cores_.open(0, {.name = "many", .rows = 1000, .row_length = 2}).value();
  cores_.now += std::chrono::seconds(1);
  LeaseRows first = acquire(cores_.keys_of(1, table_, 1));
  cores_.run();
  release(first);
  end_all();
  for (const std::size_t count : {200U, 100U}) {
    cores_.now += std::chrono::milliseconds(30);
    const std::vector<Key> keys = cores_.keys_of(1, table_, 200);
    LeaseRows lease = visit({keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count)});
    EXPECT_EQ(cores_.core(0).shared().owns({table_, keys[1]}), count == 100);
    release(lease);
    end_all();
  }
}

TEST_F(LeasesTest, ARowThatTheOwnerUsesStaysThere) {
  start();
  LeaseRows owners{.table = table_, .rows = cores_.tables(1).find(table_), .keys = {theirs_}};
  LeaseRows lease = acquire({theirs_});
  cores_.run();
  LeaseRows second = acquire({theirs_});
  cores_.core(1).leases().acquire(owners, cores_.now);
  for (int i = 0; i < 20; ++i) {
    settle_visits();
    cores_.run();
  }
  EXPECT_FALSE(cores_.core(0).shared().owns({table_, theirs_}));
  cores_.core(1).leases().release(owners, cores_.now);
  release(lease);
  release(second);
}

TEST_F(LeasesTest, StaticFetchesWhenItIsWaitedFor) {
  start(Placement::kStatic);
  LeaseRows lease = acquire({theirs_});
  EXPECT_EQ(cores_.run(), 0U);
  ASSERT_FALSE(leases().settle(lease));
  const TicketId ticket = cores_.core(0).waits().reserve();
  leases().wait(lease, ticket, cores_.now);
  cores_.run();
  EXPECT_THAT(cores_.done(0), testing::Contains(ticket));
  EXPECT_TRUE(leases().settle(lease));
  release(lease);
}

TEST_F(LeasesTest, ARowThatIsUsedAgainAndAgainIsAskedFor) {
  start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cores_.core(0).shared().owns({table_, theirs_}));
    LeaseRows lease = visit({theirs_});
    release(lease);
    end_all();
  }
  EXPECT_TRUE(cores_.core(0).shared().owns({table_, theirs_}));
}

}  // namespace
}  // namespace godwit
