// core/shared_rows_test.cc: rows that are wanted elsewhere, step by step: who owns them, who has a
// copy, what travels. The simulator covers what happens in between.
#include "core/shared_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/core_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kLength = 2;

class SharedRowsTest : public testing::Test {
 protected:
  void start(const Rule& rule = {}) {
    cores_.connect();
    spec_ = {.name = "t",
             .rows = 100,
             .row_length = kLength,
             .rule = rule,
             .placement = Placement::kIntentPlain};
    table_ = cores_.open(0, spec_).value();
    id_ = {table_, cores_.keys_of(0, table_, 1)[0]};
  }

  SharedRows& shared(std::int64_t node) { return cores_.core(node).shared(); }
  // Until nobody has anything to say.
  void settle() {
    for (int i = 0; i < 10; ++i) {
      for (std::int64_t node = 0; node < cores_.nodes(); ++node) shared(node).round();
      cores_.run();
    }
  }
  void want(std::int64_t node, bool on) {
    begin_wanting(node, on);
    settle();
  }
  void begin_wanting(std::int64_t node, bool on) {
    LeaseRows& lease = leases_[node];
    if (on) {
      lease = {.table = table_, .rows = cores_.tables(node).find(table_), .keys = {id_.key}};
      cores_.core(node).leases().acquire(lease, cores_.now);
    } else {
      cores_.core(node).leases().release(lease, cores_.now);
    }
    cores_.core(node).leases().send(cores_.now);
  }
  // A change by a thread of a node that has the row.
  void add_here(std::int64_t node, float value) {
    ASSERT_TRUE(shared(node).is_here(id_));
    RowScratch scratch;
    const std::vector<float> row(kLength, value);
    cores_.tables(node).find(table_)->push({&id_.key, 1}, row, scratch).value();
  }
  std::vector<float> row(std::int64_t node) {
    RowScratch scratch;
    std::vector<float> values(kLength);
    cores_.tables(node).find(table_)->pull({&id_.key, 1}, values, scratch).value();
    return values;
  }
  std::vector<std::int64_t> owners() {
    std::vector<std::int64_t> found;
    for (std::int64_t node = 0; node < cores_.nodes(); ++node) {
      if (shared(node).owns(id_)) found.push_back(node);
    }
    return found;
  }
  std::size_t entries() {
    std::size_t count = 0;
    for (std::int64_t node = 0; node < cores_.nodes(); ++node) {
      count += shared(node).find(id_) != nullptr ? 1 : 0;
    }
    return count;
  }

  WiredCores cores_;
  std::map<std::int64_t, LeaseRows> leases_;
  TableSpec spec_;
  TableId table_;
  RowId id_;
};

TEST_F(SharedRowsTest, ARowThatOneNodeWantsMovesThere) {
  start();
  add_here(0, 5);
  want(1, true);
  EXPECT_THAT(owners(), ElementsAre(1));
  EXPECT_THAT(row(1), ElementsAre(5, 5));
  EXPECT_FALSE(cores_.tables(0).find(table_)->is_there(id_.key)) << "no copy is left";
  EXPECT_EQ(shared(0).find(id_)->directory->owner, NodeId{1});
  want(1, false);
  EXPECT_THAT(owners(), ElementsAre(1)) << "it stays where it is";
  want(2, true);
  EXPECT_THAT(owners(), ElementsAre(2));
  EXPECT_THAT(row(2), ElementsAre(5, 5));
  EXPECT_FALSE(shared(1).find(id_)) << "the home knows, so nothing is left at the way";
}

TEST_F(SharedRowsTest, TheHomeRemembersWhoOwnedARowAndSinceWhen) {
  start();
  const auto move_at = [&](std::int64_t node, std::int64_t second) {
    cores_.now = Time(std::chrono::seconds(second));
    want(node, true);
    want(node, false);
  };
  move_at(1, 10);
  move_at(2, 20);
  move_at(0, 30);
  const auto moves = shared(0).moves().of(id_);
  ASSERT_EQ(moves.size(), 3u);
  const std::vector<std::int64_t> owners{1, 2, 0};
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(moves[i].to.owner, NodeId{owners[i]});
    EXPECT_EQ(moves[i].to.moves, i + 1);
    EXPECT_EQ(moves[i].at, Time(std::chrono::seconds(10 * (i + 1))));
  }
  EXPECT_TRUE(shared(1).moves().of(id_).empty()) << "only its home";
}

TEST_F(SharedRowsTest, ARowThatSeveralNodesWantIsCopied) {
  start();
  want(0, true);
  want(1, true);
  want(2, true);
  EXPECT_THAT(owners(), ElementsAre(0));
  add_here(0, 1);
  add_here(1, 10);
  add_here(2, 100);
  EXPECT_THAT(row(1), ElementsAre(10, 10)) << "a node sees its own changes at once";
  settle();
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_THAT(row(node), ElementsAre(111, 111));
}

TEST_F(SharedRowsTest, TheLastThatWantsItGetsIt) {
  start();
  want(0, true);
  want(1, true);
  add_here(1, 3);
  want(0, false);
  EXPECT_THAT(owners(), ElementsAre(1));
  EXPECT_THAT(row(1), ElementsAre(3, 3)) << "what was not sent yet is not lost";
}

TEST_F(SharedRowsTest, ACopyThatIsNoLongerWantedGoesWithItsLastChanges) {
  start();
  want(0, true);
  want(1, true);
  add_here(1, 4);
  want(1, false);
  EXPECT_FALSE(shared(1).is_here(id_));
  EXPECT_THAT(row(0), ElementsAre(4, 4));
  EXPECT_EQ(shared(1).find(id_), nullptr);
}

TEST_F(SharedRowsTest, ARowThatMovesWhileItsOwnerWantsItLeavesACopy) {
  start();
  want(0, true);
  want(1, true);
  add_here(0, 1);
  shared(0).move_anyway(id_, NodeId{1});
  shared(0).flush();
  add_here(0, 10);
  settle();
  EXPECT_THAT(owners(), ElementsAre(1));
  for (std::int64_t node = 0; node < 2; ++node) EXPECT_THAT(row(node), ElementsAre(11, 11));
  want(1, false);
  EXPECT_THAT(owners(), ElementsAre(0)) << "who is left wanting it alone gets it";
}

TEST_F(SharedRowsTest, RequestsFindARowThatHasMoved) {
  start();
  add_here(0, 7);
  want(1, true);
  const std::vector<Key> keys = {id_.key};
  EXPECT_THAT(cores_.pull(2, table_, keys, kLength).value(), ElementsAre(7, 7));
  cores_.push(2, table_, keys, std::vector<float>{1, 2}, kLength).value();
  EXPECT_THAT(row(1), ElementsAre(8, 9));
}

TEST_F(SharedRowsTest, ARequestThatComesBeforeTheRowWaitsForIt) {
  start();
  add_here(0, 7);
  want(0, true);
  want(1, true);
  shared(0).move_anyway(id_, NodeId{1});  // said, not sent yet
  // The home sends a request after the row, but it arrives first.
  const Pull pull{.request = Waits::wire_number(cores_.core(2).waits().reserve(), 0),
                  .origin = NodeId{2},
                  .table = table_,
                  .via_home = true,
                  .claim = 1,
                  .keys = {&id_.key, 1}};
  const auto frame = make_frame(kFirstTerm, pull);
  EXPECT_EQ(shared(1).next_hop(id_, true, 1).kind, SharedRows::Hop::Kind::kPark);
  shared(1).park(id_, frame);
  EXPECT_FALSE(shared(1).is_quiet());
  shared(0).flush();
  cores_.run();
  EXPECT_TRUE(shared(1).find(id_)->parked.empty());
  EXPECT_TRUE(shared(1).owns(id_));
}

// The links between two nodes keep the order, others may be faster.
TEST_F(SharedRowsTest, ARefreshFromBeforeTheRowWasWantedAgainIsNotTaken) {
  start();
  for (std::int64_t node = 0; node < 3; ++node) want(node, true);
  add_here(0, 1);
  shared(0).round();
  ASSERT_EQ(cores_.on_the_way().size(), 2U);
  const auto slow = cores_.on_the_way().front();  // the refresh from node 0 to node 1
  ASSERT_EQ(slow.to, NodeId{1});
  cores_.on_the_way().pop_front();
  shared(0).move_anyway(id_, NodeId{2});
  shared(0).flush();
  cores_.run();
  begin_wanting(1, false);
  cores_.run();
  add_here(2, 100);
  const std::vector<Key> keys = {id_.key};
  EXPECT_THAT(cores_.pull(1, table_, keys, kLength).value(), ElementsAre(101, 101));
  begin_wanting(1, true);
  cores_.core(1).on_frame(slow.from, slow.frame, cores_.now);
  EXPECT_FALSE(shared(1).is_here(id_)) << "it would be older than what was read";
  settle();
  EXPECT_THAT(row(1), ElementsAre(101, 101));
}

TEST_F(SharedRowsTest, RulesThatAreNotAdditiveMoveButAreNotCopied) {
  start({.kind = RuleKind::kMomentum});
  want(0, true);
  want(1, true);
  EXPECT_FALSE(shared(1).is_here(id_));
  want(0, false);
  EXPECT_THAT(owners(), ElementsAre(0)) << "it was refused and is not remembered";
  want(1, false);
  want(1, true);
  EXPECT_THAT(owners(), ElementsAre(1));
}

TEST_F(SharedRowsTest, StateTravelsWithTheRow) {
  start({.kind = RuleKind::kAdagrad, .learning_rate = 1});
  add_here(0, 2);
  const auto held = [&](std::int64_t node) {
    const HeldRow row = cores_.tables(node).find(table_)->hold(id_.key).value();
    return std::vector<float>(row.floats().begin(), row.floats().end());
  };
  const std::vector<float> before = held(0);
  want(2, true);
  EXPECT_EQ(held(2), before);
}

// What 8 or 16 bits do not hold is not lost: it comes later, and with a flush at once.
TEST_F(SharedRowsTest, CodedChangesAddUp) {
  for (const Codec codec : {Codec::kBf16, Codec::kInt8}) {
    WiredCores cores;
    cores.connect();
    const TableId table = cores
                              .open(0, {.name = "t",
                                        .rows = 100,
                                        .row_length = kLength,
                                        .placement = Placement::kReplicateOnly,
                                        .codec = codec})
                              .value();
    const Key key = cores.keys_of(0, table, 1)[0];
    LeaseRows lease{.table = table, .rows = cores.tables(1).find(table), .keys = {key}};
    cores.core(1).leases().acquire(lease, cores.now);
    cores.core(1).leases().send(cores.now);
    cores.run();
    cores.core(0).shared().round();
    cores.run();
    ASSERT_TRUE(cores.core(1).leases().settle(lease));
    const auto at = [&](std::int64_t node) {
      return cores.tables(node).find(table)->hold(key).value().floats()[0];
    };
    const auto round = [&](bool is_flush) {
      cores.core(1).leases().note_written(lease);
      for (std::int64_t node : {1, 0}) {
        cores.core(node).round(cores.now, is_flush ? Flush::kRefresh : Flush::kNone);
        cores.run();
      }
    };
    float sum = 0;
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> delta = {0.37F * static_cast<float>(i % 7), 900};
      for (std::size_t k = 0; k < kLength; ++k) lease.refs[0].row[k] += delta[k];
      sum += delta[0];
      round(false);
      EXPECT_NEAR(at(0), sum, 8) << "what is lost does not pile up";
    }
    round(true);
    EXPECT_NEAR(at(0), sum, 1e-3F);
    EXPECT_NEAR(at(1), sum, 1e-3F);
    cores.core(1).leases().release(lease, cores.now);
    cores.core(1).leases().send(cores.now);
    cores.run();
    EXPECT_NEAR(at(0), sum, 1e-3F);
  }
}

TEST_F(SharedRowsTest, NothingIsSaidAboutRowsThatDoNotChange) {
  start();
  want(0, true);
  want(1, true);
  settle();
  for (std::int64_t node = 0; node < 3; ++node) shared(node).round();
  EXPECT_EQ(cores_.run(), 0U);
  add_here(1, 1);
  shared(1).round();
  cores_.run();
  shared(0).round();
  EXPECT_EQ(cores_.run(), 0U) << "the only other one who has it wrote it: no echo";
}

TEST_F(SharedRowsTest, ARowThatOnlyItsOwnerWantsCostsNothing) {
  start();
  want(0, true);
  EXPECT_EQ(entries(), 0U);
  EXPECT_EQ(cores_.run(), 0U);
  want(0, false);
  EXPECT_EQ(entries(), 0U);
  EXPECT_EQ(cores_.core(0).wanted().size(), 0U);
}

TEST_F(SharedRowsTest, WhatCannotBeIsRefused) {
  start();
  const ItemRecord item{.key = 100, .sequence = 1, .origin = 1};
  const RowItems out_of_range{.table = table_, .row_words = kLength, .records = {&item, 1}};
  EXPECT_THAT(shared(0).on_items(out_of_range).error().message(), HasSubstr("out of range"));
  const ItemRecord stranger{.key = 1, .sequence = 1, .origin = 9};
  const RowItems unknown{.table = table_, .row_words = kLength, .records = {&stranger, 1}};
  EXPECT_EQ(shared(0).on_items(unknown).error().code(), ErrorCode::kCorruption);
  const RowItems wrong_length{.table = table_, .row_words = 9, .records = {&item, 1}};
  EXPECT_EQ(shared(0).on_items(wrong_length).error().code(), ErrorCode::kCorruption);
  const PlaceRecord place{.key = id_.key, .owner = 2, .moves = 1};
  const RowPlaces not_home{.table = table_, .news = PlaceNews::kHome, .records = {&place, 1}};
  EXPECT_EQ(shared(1).on_places(NodeId{2}, not_home).error().code(), ErrorCode::kCorruption);
  const TransferRecord transfer{.key = id_.key, .moves = 1};
  const std::vector<float> floats(kLength);
  const RowTransfers to_owner{
      .table = table_, .row_floats = kLength, .records = {&transfer, 1}, .floats = floats};
  EXPECT_THAT(shared(0).on_transfers(NodeId{1}, to_owner).error().message(),
              HasSubstr("came to its owner"));
}

}  // namespace
}  // namespace godwit
