// net/event_loop_test.cc: order of tasks and timers, stopping, ready sockets, idleness.
#include "net/event_loop.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <time.h>

#include <optional>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;

struct SocketPair {
  SocketPair() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
  UniqueFd ours;
  UniqueFd theirs;
};

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

TEST(EventLoop, AnIdleLoopUsesNoProcessor) {
  const auto loop = EventLoop::make().value();
  SocketPair pair;
  SocketWatch watch(
      *loop, pair.ours.fd(), [] {}, [] {});
  watch.arm_read();
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  loop->run_until(loop->now() + 200ms, [] { return false; });
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const double used = static_cast<double>(after.tv_sec - before.tv_sec) +
                      1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
  EXPECT_LT(used, 0.05);
}

TEST(SocketWatch, CallsOncePerArming) {
  const auto loop = EventLoop::make().value();
  SocketPair pair;
  int reads = 0;
  SocketWatch watch(
      *loop, pair.ours.fd(), [&] { ++reads; }, [] {});
  ASSERT_TRUE(watch.ok());
  watch.arm_read();
  watch.arm_read();
  EXPECT_FALSE(loop->run_until(loop->now() + 10ms, [&] { return reads > 0; }));
  ASSERT_EQ(::write(pair.theirs.fd(), "ab", 2), 2);
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return reads == 1; }));
  EXPECT_FALSE(loop->run_until(loop->now() + 10ms, [&] { return reads > 1; }));
  watch.arm_read();  // the bytes are still there
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return reads == 2; }));
}

TEST(SocketWatch, TellsWhenASocketTakesBytesAgain) {
  const auto loop = EventLoop::make().value();
  SocketPair pair;
  std::vector<char> bytes(1 << 16);
  while (::write(pair.ours.fd(), bytes.data(), bytes.size()) > 0) {
  }
  int writes = 0;
  SocketWatch watch(
      *loop, pair.ours.fd(), [] {}, [&] { ++writes; });
  watch.arm_write();
  EXPECT_FALSE(loop->run_until(loop->now() + 10ms, [&] { return writes > 0; }));
  while (::read(pair.theirs.fd(), bytes.data(), bytes.size()) > 0) {
  }
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return writes == 1; }));
}

TEST(SocketWatch, MayBeDestroyedInItsOwnCallAndCallsNothingAfterwards) {
  const auto loop = EventLoop::make().value();
  SocketPair pair;
  int calls = 0;
  std::optional<SocketWatch> watch;
  watch.emplace(
      *loop, pair.ours.fd(),
      [&] {
        ++calls;
        watch.reset();
      },
      [&] { ++calls; });
  watch->arm_read();
  ASSERT_EQ(::write(pair.theirs.fd(), "a", 1), 1);
  EXPECT_TRUE(loop->run_until(test_deadline(), [&] { return calls == 1; }));
  watch.emplace(
      *loop, pair.ours.fd(), [&] { ++calls; }, [&] { ++calls; });
  watch->arm_read();
  watch->arm_write();
  watch.reset();
  EXPECT_FALSE(loop->run_until(loop->now() + 10ms, [&] { return calls > 1; }));
}

}  // namespace
}  // namespace godwit
