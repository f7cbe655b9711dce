// core/move_log_test.cc: what is kept, and for how long.
#include "core/move_log.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr TableId kTable{1};

TEST(MoveLog, KeepsTheMovesOfEachRowInOrder) {
  MoveLog log;
  EXPECT_TRUE(log.of({kTable, 7}).empty());
  for (std::uint32_t i = 0; i < 10; ++i) {
    log.note_time(Time(Duration(100 * i)));
    log.add({kTable, i % 2}, {NodeId{i}, i});
  }
  const auto moves = log.of({kTable, 1});
  ASSERT_EQ(moves.size(), 5u);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(moves[i].to.moves, 2 * i + 1);
    EXPECT_EQ(moves[i].to.owner, NodeId{2 * i + 1});
    EXPECT_EQ(moves[i].at, Time(Duration(100 * (2 * i + 1))));
  }
  EXPECT_TRUE(log.of({TableId{2}, 1}).empty());
}

TEST(MoveLog, ForgetsTheOldest) {
  MoveLog log;
  constexpr std::uint32_t kAll = MoveLog::kKept + 10;
  for (std::uint32_t i = 0; i < kAll; ++i) log.add({kTable, 0}, {NodeId{0}, i});
  const auto moves = log.of({kTable, 0});
  ASSERT_EQ(moves.size(), MoveLog::kKept);
  EXPECT_EQ(moves.front().to.moves, 10u);
  EXPECT_EQ(moves.back().to.moves, kAll - 1);
}

}  // namespace
}  // namespace godwit
