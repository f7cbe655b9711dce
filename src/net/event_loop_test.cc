// net/event_loop_test.cc: order of tasks and timers, stopping.
#include "net/event_loop.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;

TEST(EventLoop, TasksRunInTheOrderOfPosting) {
  const auto loop = EventLoop::make().value();
  std::vector<int> ran;
  for (int i = 0; i < 5; ++i) loop->post([&ran, i] { ran.push_back(i); });
  loop->post([&] { loop->stop(); });
  loop->run();
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(EventLoop, PostFromAnotherThreadWakesTheLoop) {
  LoopThread thread;
  thread.start();
  for (int i = 0; i < 100; ++i) {
    std::thread::id ran_on;
    thread.call([&] { ran_on = std::this_thread::get_id(); });
    EXPECT_NE(ran_on, std::this_thread::get_id());
  }
}

TEST(EventLoop, StopBeforeRunIsNotLost) {
  const auto loop = EventLoop::make().value();
  loop->stop();
  loop->run();
  bool ran = false;
  loop->post([&] {
    ran = true;
    loop->stop();
  });
  loop->run();
  EXPECT_TRUE(ran);
}

TEST(EventLoop, TimersRunInTheOrderOfTheirTimesAndNotEarly) {
  const auto loop = EventLoop::make().value();
  const Time start = loop->now();
  std::vector<int> ran;
  std::vector<Time> at;
  const auto note = [&](int i) {
    ran.push_back(i);
    at.push_back(loop->now());
  };
  loop->call_at(start + 30ms, [&] { note(3); });
  loop->call_at(start + 10ms, [&] { note(1); });
  loop->call_at(start + 10ms, [&] { note(2); });
  loop->call_at(start - 1s, [&] { note(0); });
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return ran.size() == 4; }));
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_GE(at[1], start + 10ms);
  EXPECT_GE(at[3], start + 30ms);
}

TEST(EventLoop, ACancelledTimerDoesNotRunAndCancellingTwiceIsHarmless) {
  const auto loop = EventLoop::make().value();
  bool cancelled_ran = false;
  bool last_ran = false;
  const auto first = loop->call_at(loop->now() + 1ms, [&] { cancelled_ran = true; });
  loop->call_at(loop->now() + 20ms, [&] { last_ran = true; });
  loop->cancel(first);
  loop->cancel(first);
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return last_ran; }));
  EXPECT_FALSE(cancelled_ran);
}

TEST(EventLoop, ATimerMayAddTimersAndCancelOthers) {
  const auto loop = EventLoop::make().value();
  int ran = 0;
  bool cancelled_ran = false;
  const Time at = loop->now() + 1ms;
  EventLoop::TimerId other;
  loop->call_at(at, [&] {
    loop->cancel(other);
    loop->call_at(loop->now(), [&] { ++ran; });
  });
  other = loop->call_at(at, [&] { cancelled_ran = true; });
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return ran == 1; }));
  EXPECT_FALSE(cancelled_ran);
}

TEST(EventLoop, RunUntilEndsAtItsDeadlineAndLeavesAStopToRun) {
  const auto loop = EventLoop::make().value();
  loop->stop();
  const Time deadline = loop->now() + 20ms;
  EXPECT_FALSE(loop->run_until(deadline, [] { return false; }));
  EXPECT_GE(loop->now(), deadline);
  loop->run();  // returns at once
}

}  // namespace
}  // namespace godwit
