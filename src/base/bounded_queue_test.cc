// base/bounded_queue_test.cc: order, bound, deadlines, closing, and many threads.
#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace godwit {
namespace {

using namespace std::chrono_literals;

Time soon() {
  return RealTime().now() + 30s;
}
constexpr Time kPast{};

TEST(BoundedQueue, IsFirstInFirstOut) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_EQ(queue.push(2, soon()), QueueStatus::kDone);
  EXPECT_EQ(queue.try_pop(), 1);
  int out = 0;
  EXPECT_EQ(queue.pop(out, soon()), QueueStatus::kDone);
  EXPECT_EQ(out, 2);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, AFullQueueLeavesTheItemWithTheCaller) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.try_push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.try_push(std::move(second)));
  EXPECT_EQ(queue.push(std::move(second), kPast), QueueStatus::kTimeout);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(BoundedQueue, WaitsEndAtTheirDeadline) {
  BoundedQueue<int> queue(1);
  const RealTime time;
  const Time deadline = time.now() + 20ms;
  int out = 7;
  EXPECT_EQ(queue.pop(out, deadline), QueueStatus::kTimeout);
  EXPECT_GE(time.now(), deadline);
  EXPECT_EQ(out, 7);
}

TEST(BoundedQueue, AClosedQueueIsDrainedThenEnds) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.try_push(1));
  queue.close();
  EXPECT_FALSE(queue.try_push(2));
  EXPECT_EQ(queue.push(2, soon()), QueueStatus::kClosed);
  int out = 0;
  EXPECT_EQ(queue.pop(out, soon()), QueueStatus::kDone);
  EXPECT_EQ(out, 1);
  EXPECT_EQ(queue.pop(out, soon()), QueueStatus::kClosed);
}

TEST(BoundedQueue, ClosingWakesEveryone) {
  BoundedQueue<int> full(1);
  ASSERT_TRUE(full.try_push(1));
  BoundedQueue<int> empty(1);
  std::atomic<int> closed{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] { closed += full.push(2, soon()) == QueueStatus::kClosed; });
    threads.emplace_back([&] {
      int out = 0;
      closed += empty.pop(out, soon()) == QueueStatus::kClosed;
    });
  }
  full.close();
  empty.close();
  threads.clear();
  EXPECT_EQ(closed, 4);
}

TEST(BoundedQueue, EveryItemOfManyProducersReachesOneConsumer) {
  constexpr int kProducers = 3;
  constexpr int kEach = 3000;
  BoundedQueue<int> queue(4);
  std::vector<std::atomic<int>> seen(std::size_t{kProducers} * kEach);
  std::vector<std::jthread> consumers;
  for (int i = 0; i < 2; ++i) {
    consumers.emplace_back([&] {
      int item = 0;
      while (queue.pop(item, soon()) == QueueStatus::kDone) ++seen[static_cast<std::size_t>(item)];
    });
  }
  std::vector<std::jthread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&queue, p] {
      for (int k = 0; k < kEach; ++k) {
        EXPECT_EQ(queue.push(p * kEach + k, soon()), QueueStatus::kDone);
        EXPECT_LE(queue.size(), queue.capacity());
      }
    });
  }
  producers.clear();
  queue.close();
  consumers.clear();
  for (const auto& count : seen) ASSERT_EQ(count, 1);
}

TEST(BoundedQueueDeathTest, NeedsRoomForOne) {
  EXPECT_DEATH(BoundedQueue<int>(0), "capacity > 0");
}

}  // namespace
}  // namespace godwit
