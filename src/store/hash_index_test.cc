// store/hash_index_test.cc: against std::map, and with readers while it grows.
#include "store/hash_index.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

constexpr RowLayout kLayout{.value_length = 1, .state_length = 0, .stride = 1};

class HashIndexTest : public testing::Test {
 protected:
  Slot insert(Key key) {
    EXPECT_TRUE(index_.make_room(key).ok());
    const Slot slot = slabs_.allocate().value();
    index_.insert(key, slot, slabs_, 0);
    return slot;
  }
  void erase(Key key) {
    const RowRef row = index_.find(key, slabs_);
    ASSERT_TRUE(row.anchor->lock(row.word));
    slabs_.free(index_.erase(key, row));
  }

  MemoryBudget budget_{std::uint64_t{1} << 32};
  Slabs slabs_{kLayout, 1 << 20, Slabs::Anchors::kPerSlot, &budget_};
  HashIndex index_{&budget_};
};

TEST_F(HashIndexTest, AgreesWithAMapThroughGrowthAndErasure) {
  std::map<Key, Slot> oracle;
  Prng prng(3);
  for (int step = 0; step < 120'000; ++step) {
    const Key key = prng.below(60'000) * 0x10001;
    const auto known = oracle.find(key);
    if (known == oracle.end()) {
      ASSERT_EQ(index_.find(key, slabs_).row, nullptr);
      oracle[key] = insert(key);
    } else if (prng.below(3) == 0) {
      erase(key);
      oracle.erase(known);
    } else {
      ASSERT_EQ(index_.find(key, slabs_).row, slabs_.row(known->second));
    }
  }
  for (const auto& [key, slot] : oracle) ASSERT_EQ(index_.find(key, slabs_).row, slabs_.row(slot));
}

TEST_F(HashIndexTest, ExtremeKeysAreKeysLikeOthers) {
  for (const Key key : {Key{0}, ~Key{0}, Key{1} << 63}) {
    EXPECT_EQ(index_.find(key, slabs_).row, nullptr);
    const Slot slot = insert(key);
    EXPECT_EQ(index_.find(key, slabs_).row, slabs_.row(slot));
  }
}

TEST_F(HashIndexTest, AReusedSlotDoesNotMatchAnOldLookup) {
  const Slot slot = insert(1);
  const RowRef old = index_.find(1, slabs_);
  erase(1);
  ASSERT_EQ(insert(2), slot);
  EXPECT_FALSE(old.anchor->lock(old.word));
}

// Many young indexes rather than one large one: with few segments, a split is where the reader is.
TEST_F(HashIndexTest, ReadersFindWhatIsThereWhileItGrows) {
  constexpr Key kStable = 4000;
  for (int round = 0; round < 60; ++round) {
    HashIndex young(&budget_);
    const auto add = [&](Key key) {
      ASSERT_TRUE(young.make_room(key).ok());
      young.insert(key, slabs_.allocate().value(), slabs_, 0);
    };
    for (Key key = 0; key < kStable; ++key) add(key);
    std::atomic<bool> done{false};
    std::atomic<std::int64_t> reads{0};
    std::jthread reader([&] {
      for (Key key = 0; !done; key = (key + 1) % kStable, ++reads) {
        ASSERT_NE(young.find(key, slabs_).row, nullptr) << key;
        ASSERT_EQ(young.find(key + (Key{1} << 40), slabs_).row, nullptr) << key;
      }
    });
    while (reads == 0) std::this_thread::yield();
    for (Key key = kStable; key < 4 * kStable; ++key) add(key);
    done = true;
  }
}

TEST_F(HashIndexTest, GrowthStopsAtTheBudgetAndIsGivenBack) {
  MemoryBudget small(300'000);
  {
    HashIndex limited(&small);
    Key key = 0;
    while (limited.make_room(key).ok()) limited.insert(key++, slabs_.allocate().value(), slabs_, 0);
    EXPECT_GT(key, 10'000u);
    EXPECT_LE(small.taken(), small.bytes_max());
    EXPECT_NE(limited.find(0, slabs_).row, nullptr);
  }
  EXPECT_EQ(small.taken(), 0u);
}

}  // namespace
}  // namespace godwit
