// core/tick_buffers_test.cc: ticks are closed in an order that does not depend on who came first.
#include "core/tick_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr TableId kTable{1};

class TickBuffersTest : public testing::Test {
 protected:
  // A change of row 3 by a worker; what is set last stays.
  Result<> set(std::int64_t tick, std::int64_t node, std::int64_t worker, std::uint32_t order,
               float value, Key key = 3) {
    return buffers_.add(NodeId{node},
                        {.tick = Tick{tick}, .worker = WorkerId{worker}, .order = order}, kTable,
                        PushMode::kSetKeepState, {&key, 1}, {&value, 1});
  }
  float row() {
    const Key key = 3;
    float value = 0;
    RowScratch scratch;
    rows_->pull({&key, 1}, {&value, 1}, scratch).value();
    return value;
  }

  Tables tables_{std::uint64_t{1} << 24};
  TableRows* rows_ = tables_.make(kTable, {.name = "t", .rows = 8, .row_length = 1})->rows;
  TickBuffers buffers_{tables_};
};

TEST_F(TickBuffersTest, ChangesAreAppliedByTicksThenNodesThenWorkersThenTheirOrder) {
  set(2, 0, 0, 0, 9).value();
  set(1, 1, 1, 1, 4).value();
  set(1, 1, 1, 0, 3).value();
  set(1, 1, 0, 7, 2).value();
  set(1, 0, 5, 9, 1).value();
  EXPECT_EQ(row(), 0);
  buffers_.close(Tick{1});
  EXPECT_EQ(row(), 4);
  EXPECT_FALSE(buffers_.is_empty());
  buffers_.close(Tick{2});
  EXPECT_EQ(row(), 9);
  EXPECT_TRUE(buffers_.is_empty());
}

TEST_F(TickBuffersTest, ARowIsHeldWhileThereAreChangesOfIt) {
  set(1, 0, 0, 0, 1).value();
  set(2, 0, 0, 0, 2).value();
  EXPECT_TRUE(buffers_.holds({kTable, 3}));
  EXPECT_FALSE(buffers_.holds({kTable, 4}));
  buffers_.close(Tick{1});
  EXPECT_TRUE(buffers_.holds({kTable, 3}));
  buffers_.close(Tick{2});
  EXPECT_FALSE(buffers_.holds({kTable, 3}));
}

TEST_F(TickBuffersTest, ATickMayBeClosedWithoutSomeWorkers) {
  set(1, 0, 0, 0, 1).value();
  set(1, 1, 0, 0, 2).value();
  buffers_.close(Tick{1}, [](NodeId node, WorkerId) { return node == NodeId{0}; });
  EXPECT_EQ(row(), 1);
  EXPECT_TRUE(buffers_.is_empty());
  EXPECT_FALSE(buffers_.holds({kTable, 3}));
}

TEST_F(TickBuffersTest, NothingIsAddedToAClosedTick) {
  buffers_.close(Tick{4});
  EXPECT_THAT(set(4, 2, 1, 0, 1).error().message(),
              HasSubstr("worker 1 of node 2 in tick 4, which is closed"));
  EXPECT_TRUE(set(5, 2, 1, 0, 1).ok());
}

TEST_F(TickBuffersTest, ChangesThatCannotBeAreRefused) {
  EXPECT_FALSE(set(1, 0, 0, 0, 1, 8).ok());  // there is no such row
  EXPECT_TRUE(buffers_.is_empty());
  EXPECT_FALSE(buffers_.holds({kTable, 8}));
}

}  // namespace
}  // namespace godwit
