// store/bounded_index_test.cc: keys to rows and back to nothing.
#include "store/bounded_index.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr RowLayout kLayout{.value_length = 1, .state_length = 0, .stride = 1};

TEST(BoundedIndex, FindsWhatWasInsertedUntilItIsErased) {
  Slabs slabs(kLayout, 10, Slabs::Anchors::kNone, nullptr);
  BoundedIndex index = BoundedIndex::make(1000).value();
  EXPECT_EQ(index.find(999, slabs).row, nullptr);
  const Slot slot = slabs.allocate().value();
  index.insert(999, slot, slabs, 0);
  const RowRef row = index.find(999, slabs);
  EXPECT_EQ(row.row, slabs.row(slot));
  EXPECT_EQ(index.find(998, slabs).row, nullptr);
  ASSERT_TRUE(row.anchor->lock(row.word));
  EXPECT_EQ(index.erase(999, row), slot);
  EXPECT_EQ(index.find(999, slabs).row, nullptr);
  EXPECT_FALSE(row.anchor->lock(row.word)) << "an old lookup no longer locks";
}

TEST(BoundedIndex, TakesFourBytesAKey) {
  EXPECT_LE(BoundedIndex::make(1'000'000).value().bytes(), 4'100'000u);
}

}  // namespace
}  // namespace godwit
