// core/leases_test.cc: what becomes of rows that are leased: owned, visited, kept, let go.
#include "core/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/core_fixture.h"

namespace godwit {
namespace {

class LeasesTest : public testing::Test {
 protected:
  void start(Placement placement = Placement::kIntent) {
    cores_.connect();
    table_ =
        cores_.open(0, {.name = "t", .rows = 100, .row_length = 2, .placement = placement}).value();
    mine_ = cores_.keys_of(0, table_, 2)[0];
    theirs_ = cores_.keys_of(1, table_, 2)[0];
  }
  Leases& leases() { return cores_.core(0).leases(); }
  LeaseRows acquire(std::vector<Key> keys) {
    LeaseRows lease{
        .table = table_, .rows = cores_.tables(0).find(table_), .keys = std::move(keys)};
    leases().acquire(lease, cores_.now);
    leases().send(cores_.now);
    return lease;
  }
  void release(LeaseRows& lease) {
    leases().release(lease, cores_.now);
    leases().send(cores_.now);
  }
  void end_all() {
    cores_.core(0).round(cores_.now, true);
    cores_.run();
  }
  void settle_visits() {
    cores_.now += std::chrono::milliseconds(30);
    leases().settle_visits(cores_.now);
  }
  void push_at_owner(Key key, float value) {
    RowScratch scratch;
    const std::vector<float> row{value, 0};
    cores_.tables(1).find(table_)->push({&key, 1}, row, scratch).value();
  }
  Stage stage(Key key) { return cores_.core(0).wanted().find({table_, key})->stage; }
  bool is_there(Key key) { return cores_.tables(0).find(table_)->is_there(key); }
  float value(std::int64_t node, Key key) {
    RowScratch scratch;
    std::vector<float> row(2);
    cores_.tables(node).find(table_)->pull({&key, 1}, row, scratch).value();
    return row[0];
  }

  WiredCores cores_;
  TableId table_;
  Key mine_ = 0;
  Key theirs_ = 0;
};

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
  LeaseRows lease = acquire({theirs_});
  cores_.run();
  ASSERT_TRUE(leases().settle(lease));
  release(lease);
  cores_.core(0).round(cores_.now, true);
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

TEST_F(LeasesTest, AVisitThatIsWantedAgainIsExchanged) {
  start();
  LeaseRows first = acquire({theirs_});
  cores_.run();
  ASSERT_TRUE(leases().settle(first));
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

TEST_F(LeasesTest, ARowThatCameBackSoonStaysForAWhile) {
  start();
  for (int i = 0; i < 2; ++i) {
    LeaseRows lease = acquire({theirs_});
    cores_.run();
    ASSERT_TRUE(leases().settle(lease));
    release(lease);
    cores_.now += std::chrono::microseconds(200);
    leases().send(cores_.now);
    EXPECT_EQ(is_there(theirs_), i == 1);
  }
}

// With the answer to an exchange, which must not be taken for an older one.
TEST_F(LeasesTest, AVisitOfItsOnlyUserMovesThere) {
  start();
  LeaseRows lease = acquire({theirs_});
  cores_.run();
  ASSERT_TRUE(leases().settle(lease));
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
    LeaseRows lease = acquire({theirs[i]});
    cores_.run();
    ASSERT_TRUE(leases().settle(lease));
    EXPECT_EQ(cores_.core(0).shared().owns({table_, theirs[i]}), i > 0) << "nothing is known yet";
    EXPECT_EQ(lease.refs[0].row[0], i == 1 ? 5 : 0);
    lease.refs[0].row[0] += 1;
    release(lease);
    end_all();
    EXPECT_EQ(value(i > 0 ? 0 : 1, theirs[i]), i == 1 ? 6 : 1);
    cores_.now += std::chrono::milliseconds(30);
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
    LeaseRows lease = acquire({theirs_});
    cores_.run();
    ASSERT_TRUE(leases().settle(lease));
    release(lease);
    end_all();
  }
  EXPECT_TRUE(cores_.core(0).shared().owns({table_, theirs_}));
}

}  // namespace
}  // namespace godwit
