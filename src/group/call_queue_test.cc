// group/call_queue_test.cc: order, whose thread runs a call, how many may wait, and closing.
#include "group/call_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
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

TEST(CallQueue, ACallTooManyEndsAtOnceAndIsToldInItsTurn) {
  std::vector<std::string> order;
  CallQueue queue([&](const Error& why) { order.push_back(why.message()); });
  std::promise<void> gate;
  std::promise<void> began;
  const PendingCall first = queue.post([&]() -> Result<> {
    began.set_value();
    gate.get_future().wait();
    return {};
  });
  began.get_future().wait();
  const auto note = [&]() -> Result<> {
    order.emplace_back("call");
    return {};
  };
  std::vector<PendingCall> waiting;
  for (std::size_t i = 0; i < CallQueue::kWaitingMax; ++i) waiting.push_back(queue.post(note));
  EXPECT_FALSE(waiting.back().is_over());
  for (int i = 0; i < 3; ++i) {
    const PendingCall refused = queue.post(note);
    ASSERT_TRUE(refused.is_over());
    EXPECT_EQ(refused.wait().error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(refused.wait().error().message(), testing::HasSubstr("16384 calls"));
  }
  gate.set_value();
  for (const PendingCall& call : waiting) EXPECT_TRUE(call.wait().ok());
  queue.run(note).value();
  // Those that waited, then the refusal, once, then what was made later.
  ASSERT_EQ(order.size(), CallQueue::kWaitingMax + 2);
  EXPECT_THAT(order[CallQueue::kWaitingMax], testing::HasSubstr("wait() for some"));
  EXPECT_EQ(order.back(), "call");
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
