// group/call_queue_test.cc: order, whose thread runs a call, and closing.
#include "group/call_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "base/errors.h"

namespace godwit {
namespace {

TEST(CallQueue, ACallWithNothingBeforeItRunsOnTheCallersThread) {
  CallQueue queue;
  std::thread::id where;
  queue
      .run([&]() -> Result<> {
        where = std::this_thread::get_id();
        return {};
      })
      .value();
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(CallQueue, CallsRunInTheOrderInWhichTheyWereMade) {
  CallQueue queue;
  std::promise<void> gate;
  std::vector<int> order;
  const auto note = [&](int number) {
    return [&order, number]() -> Result<> {
      order.push_back(number);
      return {};
    };
  };
  const PendingCall first = queue.post([&]() -> Result<> {
    gate.get_future().wait();
    order.push_back(0);
    return {};
  });
  for (int i = 1; i < 5; ++i) queue.post(note(i)).is_over();
  EXPECT_FALSE(first.is_over());
  gate.set_value();
  queue.run(note(5)).value();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(first.wait().ok());
}

TEST(CallQueue, WhatACallReturnsIsWhatWaitReturns) {
  CallQueue queue;
  const PendingCall failed = queue.post([]() -> Result<> { return timeout("too late"); });
  EXPECT_EQ(failed.wait().error().message(), "too late");
  EXPECT_EQ(failed.wait().error().code(), ErrorCode::kTimeout);
}

TEST(CallQueue, ClosingEndsCallsThatHaveNotBegun) {
  CallQueue queue;
  std::promise<void> gate;
  std::promise<void> began;
  const PendingCall first = queue.post([&]() -> Result<> {
    began.set_value();
    gate.get_future().wait();
    return {};
  });
  const PendingCall second = queue.post([]() -> Result<> { return {}; });
  began.get_future().wait();
  std::jthread opener([&] { gate.set_value(); });
  queue.close();
  EXPECT_TRUE(first.wait().ok());
  EXPECT_EQ(second.wait().error().code(), ErrorCode::kAborted);
  EXPECT_EQ(queue.run([]() -> Result<> { return {}; }).error().code(), ErrorCode::kAborted);
}

}  // namespace
}  // namespace godwit
