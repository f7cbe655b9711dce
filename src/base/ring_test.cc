// base/ring_test.cc: SpscRing and MpscRing: order, bound, laps, and threads.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "base/mpsc_ring.h"
#include "base/spsc_ring.h"

namespace godwit {
namespace {

template <class Ring>
class RingTest : public testing::Test {};

using Item = std::unique_ptr<int>;
using Rings = testing::Types<SpscRing<Item>, MpscRing<Item>>;
TYPED_TEST_SUITE(RingTest, Rings);

TYPED_TEST(RingTest, IsFirstInFirstOutOverManyLaps) {
  TypeParam ring(4);
  int pushed = 0;
  int popped = 0;
  for (int lap = 0; lap < 50; ++lap) {
    for (int i = 0; i < 1 + lap % 4; ++i)
      ASSERT_TRUE(ring.try_push(std::make_unique<int>(pushed++)));
    while (auto item = ring.try_pop()) ASSERT_EQ(**item, popped++);
    ASSERT_EQ(popped, pushed);
  }
}

TYPED_TEST(RingTest, HoldsItsCapacityAndLeavesTheNextItemWithTheCaller) {
  TypeParam ring(4);
  EXPECT_EQ(ring.capacity(), 4U);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.try_push(std::make_unique<int>(i)));
  auto item = std::make_unique<int>(4);
  EXPECT_FALSE(ring.try_push(std::move(item)));
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(**ring.try_pop(), 0);
  EXPECT_TRUE(ring.try_push(std::move(item)));
  EXPECT_EQ(item, nullptr);
}

TEST(RingDeathTest, CapacityIsAPowerOfTwo) {
  EXPECT_DEATH(SpscRing<int>(3), "has_single_bit");
  EXPECT_DEATH(MpscRing<int>(3), "has_single_bit");
  EXPECT_DEATH(MpscRing<int>(1), "capacity >= 2");
}

// Payloads behind pointers: without the right ordering the reader sees unwritten memory, and TSan
// sees a race.
TEST(SpscRing, HandsEverythingOverInOrder) {
  constexpr int kItems = 30'000;
  SpscRing<Item> ring(8);
  const std::jthread producer([&ring] {
    for (int i = 0; i < kItems; ++i) {
      auto item = std::make_unique<int>(i);
      while (!ring.try_push(std::move(item))) std::this_thread::yield();
    }
  });
  for (int expected = 0; expected < kItems;) {
    if (const auto item = ring.try_pop()) {
      ASSERT_EQ(**item, expected++);
    } else {
      std::this_thread::yield();
    }
  }
  EXPECT_FALSE(ring.try_pop().has_value());
}

TEST(MpscRing, HandsEverythingOverInEachProducersOrder) {
  constexpr int kProducers = 3;
  constexpr int kEach = 10'000;
  MpscRing<Item> ring(8);
  std::vector<std::jthread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&ring, p] {
      for (int k = 0; k < kEach; ++k) {
        auto item = std::make_unique<int>(p * kEach + k);
        while (!ring.try_push(std::move(item))) std::this_thread::yield();
      }
    });
  }
  std::vector<int> next(kProducers);
  for (int received = 0; received < kProducers * kEach;) {
    if (const auto item = ring.try_pop()) {
      ASSERT_EQ(**item % kEach, next.at(static_cast<std::size_t>(**item / kEach))++);
      ++received;
    } else {
      std::this_thread::yield();
    }
  }
  EXPECT_FALSE(ring.try_pop().has_value());
}

}  // namespace
}  // namespace godwit
