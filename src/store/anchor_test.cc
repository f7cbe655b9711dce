// store/anchor_test.cc: one word, one holder.
#include "store/anchor.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace godwit {
namespace {

TEST(Anchor, LocksOnlyWhatWasExpected) {
  Anchor anchor;
  anchor.publish(5);
  EXPECT_FALSE(anchor.try_lock(6));
  EXPECT_TRUE(anchor.try_lock(5));
  EXPECT_FALSE(anchor.try_lock(5)) << "it is held";
  EXPECT_EQ(anchor.peek(), 5u) << "peek ignores the lock";
  anchor.unlock(5);
  EXPECT_TRUE(anchor.try_lock(5));
}

TEST(Anchor, WaitingEndsWhenTheRowIsGone) {
  Anchor anchor;
  anchor.publish(5);
  ASSERT_TRUE(anchor.try_lock(5));
  std::jthread holder([&] { anchor.unlock(0); });
  EXPECT_FALSE(anchor.lock(5));
}

TEST(Anchor, HoldersExcludeEachOther) {
  Anchor anchor;
  anchor.publish(1);
  std::int64_t plain_counter = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20'000; ++i) {
          ASSERT_TRUE(anchor.lock(1));
          ++plain_counter;
          anchor.unlock(1);
        }
      });
    }
  }
  EXPECT_EQ(plain_counter, 60'000);
}

}  // namespace
}  // namespace godwit
