// store/slabs_test.cc: slots are distinct, reused, and counted.
#include "store/slabs.h"

#include <gtest/gtest.h>

#include <set>

namespace godwit {
namespace {

constexpr RowLayout kLayout{.value_length = 16, .state_length = 0, .stride = 16};

TEST(Slabs, RowsDoNotOverlap) {
  MemoryBudget budget(std::uint64_t{1} << 30);
  Slabs slabs(kLayout, 100'000, Slabs::Anchors::kPerSlot, &budget);
  std::set<float*> rows;
  for (int i = 0; i < 100'000; ++i) {
    const Slot slot = slabs.allocate().value();
    float* row = slabs.row(slot);
    rows.insert(row);
    std::fill_n(row, 16, static_cast<float>(slot));
    slabs.anchor(slot).publish(slot + 1);
  }
  ASSERT_EQ(rows.size(), 100'000u);
  float* before = nullptr;
  for (float* row : rows) {
    ASSERT_TRUE(before == nullptr || row - before >= 16);
    before = row;
  }
  for (Slot slot = 0; slot < 100'000; ++slot) {
    ASSERT_EQ(slabs.row(slot)[15], static_cast<float>(slot));
    ASSERT_EQ(slabs.anchor(slot).peek(), slot + 1);
  }
}

TEST(Slabs, FreedRowsAreReused) {
  Slabs slabs(kLayout, 1000, Slabs::Anchors::kNone, nullptr);
  const Slot a = slabs.allocate().value();
  const Slot b = slabs.allocate().value();
  EXPECT_EQ(slabs.slots_used(), 2u);
  slabs.free(a);
  EXPECT_EQ(slabs.slots_used(), 1u);
  EXPECT_EQ(slabs.allocate().value(), a);
  EXPECT_NE(slabs.allocate().value(), b);
}

TEST(Slabs, ANewRowIsUsedByNobodyAndOneInUseIsNotFreed) {
  Slabs slabs(kLayout, 1000, Slabs::Anchors::kNone, nullptr);
  const Slot slot = slabs.allocate().value();
  slabs.use(slot) = {.is_used = 1, .is_watched = 1, .last_lease = 7};
  slabs.free(slot);
  ASSERT_EQ(slabs.allocate().value(), slot);
  EXPECT_EQ(slabs.use(slot).is_used + slabs.use(slot).is_watched, 0U);
  EXPECT_EQ(slabs.use(slot).last_lease, 0U);
  slabs.use(slot).leases = 1;
  EXPECT_DEATH(slabs.free(slot), "leases");
}

TEST(Slabs, RefuseMoreThanTheirMaximum) {
  Slabs slabs(kLayout, 3, Slabs::Anchors::kNone, nullptr);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(slabs.allocate().ok());
  EXPECT_EQ(slabs.allocate().error().code(), ErrorCode::kOutOfMemory);
}

TEST(Slabs, StopAtTheBudgetAndGiveItBack) {
  MemoryBudget budget(std::uint64_t{5} << 20);
  {
    Slabs slabs(kLayout, 10'000'000, Slabs::Anchors::kNone, &budget);
    std::uint64_t rows = 0;
    while (slabs.allocate().ok()) ++rows;
    EXPECT_EQ(rows, 2u * ((2u << 20) / 64)) << "two slabs of 2 MiB fit into 5 MiB";
    EXPECT_LE(budget.taken(), budget.bytes_max());
  }
  EXPECT_EQ(budget.taken(), 0u);
}

TEST(Slabs, ATinyTableTakesTinyMemory) {
  Slabs slabs(kLayout, 10, Slabs::Anchors::kNone, nullptr);
  ASSERT_TRUE(slabs.allocate().ok());
  EXPECT_LE(slabs.bytes(), 8192u);
}

TEST(Slabs, RowsLargerThanASlabWork) {
  const RowLayout layout{.value_length = 1 << 20, .state_length = 0, .stride = 1 << 20};
  Slabs slabs(layout, 3, Slabs::Anchors::kNone, nullptr);
  for (Slot i = 0; i < 3; ++i) slabs.row(slabs.allocate().value())[(1 << 20) - 1] = 1;
  EXPECT_GE(Slabs::bytes_for(layout, 3), 3u * (4u << 20));
}

}  // namespace
}  // namespace godwit
