// store/row_ref_test.cc: guards hand out value and state, locked or not.
#include "store/row_ref.h"

#include <gtest/gtest.h>

#include <array>

namespace godwit {
namespace {

constexpr RowLayout kLayout{.value_length = 2, .state_length = 1, .stride = 4};

TEST(LockedRow, HoldsTheLockForItsLife) {
  std::array<float, 4> memory{1, 2, 3, 0};
  Anchor anchor;
  anchor.publish(9);
  const RowRef ref{memory.data(), &anchor, 9};
  {
    const LockedRow row(ref, kLayout);
    EXPECT_FALSE(anchor.try_lock(9));
    EXPECT_EQ(row.value().size(), 2u);
    EXPECT_EQ(row.state()[0], 3);
    row.value()[1] = 20;
  }
  EXPECT_TRUE(anchor.try_lock(9));
  EXPECT_EQ(memory[1], 20);
}

TEST(RacyRow, TakesNoLock) {
  std::array<float, 4> memory{1, 2, 3, 0};
  Anchor anchor;
  anchor.publish(9);
  ASSERT_TRUE(anchor.try_lock(9));
  const RacyRow row({memory.data(), &anchor, 9}, kLayout);
  row.value()[0] = 10;
  row.state()[0] = 30;
  EXPECT_EQ(memory, (std::array<float, 4>{10, 2, 30, 0}));
}

TEST(LockedRowDeathTest, ARowThatLeftIsABug) {
  std::array<float, 4> memory{};
  Anchor anchor;
  EXPECT_DEATH(LockedRow({memory.data(), &anchor, 9}, kLayout), "still_there");
}

}  // namespace
}  // namespace godwit
