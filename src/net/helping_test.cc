// net/helping_test.cc: threads that wait read shared sockets themselves: who reads, who is woken,
// how it ends.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "net/event_loop.h"
#include "net/socket_watch.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;

// A loop on its own thread with one shared socket; counts what is read, and by whom.
class Helping : public testing::Test {
 protected:
  Helping() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
    ours_.reset(fds[0]);
    theirs_.reset(fds[1]);
    watch_.emplace(
        thread_.loop(), ours_.fd(), [this] { read(); }, [this] { ++writes_; });
    watch_->share_reads();
    EXPECT_TRUE(watch_->ok());
    thread_.start();
    thread_.call([] {});  // from here on it runs
  }
  ~Helping() override {
    thread_.stop();
    watch_.reset();
  }

  void read() {
    std::array<char, 16> bytes{};
    const auto count = ::recv(ours_.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    last_reader_ = std::this_thread::get_id();
    read_ += static_cast<int>(count);
  }
  void send(int bytes) {
    for (int i = 0; i < bytes; ++i) ASSERT_EQ(::send(theirs_.fd(), "x", 1, 0), 1);
  }
  bool wait_read(int count) {
    const Time deadline = test_deadline();
    while (read_ < count && loop().now() < deadline) std::this_thread::yield();
    return read_ == count;
  }
  EventLoop& loop() { return thread_.loop(); }

  LoopThread thread_;
  UniqueFd ours_;
  UniqueFd theirs_;
  std::optional<SocketWatch> watch_;
  std::atomic<int> read_ = 0;
  std::atomic<int> writes_ = 0;
  std::atomic<std::thread::id> last_reader_;
};

TEST_F(Helping, TheLoopReadsWhileNobodyHelps) {
  send(3);
  EXPECT_TRUE(wait_read(3));
  EXPECT_NE(last_reader_.load(), std::this_thread::get_id());
}

TEST_F(Helping, TheHelperReadsInPlaceOfTheLoop) {
  ASSERT_TRUE(loop().begin_help());
  for (int i = 1; i <= 100; ++i) {
    send(1);
    while (read_ < i) ASSERT_TRUE(loop().help(test_deadline()));
    EXPECT_EQ(last_reader_.load(), std::this_thread::get_id());
  }
  loop().end_help();
}

TEST_F(Helping, WhatAHelperLeavesUnreadTheLoopReads) {
  ASSERT_TRUE(loop().begin_help());
  send(5);
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(read_, 0);
  loop().end_help();
  EXPECT_TRUE(wait_read(5));
  EXPECT_NE(last_reader_.load(), std::this_thread::get_id());
}

TEST_F(Helping, OneThreadHelpsAtATime) {
  ASSERT_TRUE(loop().begin_help());
  std::thread([&] { EXPECT_FALSE(loop().begin_help()); }).join();
  loop().end_help();
  ASSERT_TRUE(loop().begin_help());
  loop().end_help();
}

TEST_F(Helping, WakingAHelperIsNotLost) {
  ASSERT_TRUE(loop().begin_help());
  loop().wake_helper();
  const Time begin = loop().now();
  EXPECT_TRUE(loop().help(begin + 20s));
  EXPECT_LT(loop().now() - begin, 10s);
  const std::jthread waker([&] {
    std::this_thread::sleep_for(2ms);
    loop().wake_helper();
  });
  EXPECT_TRUE(loop().help(loop().now() + 20s));
  EXPECT_LT(loop().now() - begin, 10s);
  loop().end_help();
}

TEST_F(Helping, HelpEndsAtItsDeadline) {
  ASSERT_TRUE(loop().begin_help());
  const Time deadline = loop().now() + 5ms;
  while (loop().now() < deadline) EXPECT_TRUE(loop().help(deadline));
  loop().end_help();
}

TEST_F(Helping, TheLoopStillRunsItsTasksAndTimers) {
  ASSERT_TRUE(loop().begin_help());
  std::atomic<bool> rang = false;
  thread_.call([&] { loop().call_at(loop().now() + 1ms, [&] { rang = true; }); });
  const Time deadline = test_deadline();
  while (!rang && loop().now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(rang);
  loop().end_help();
}

TEST_F(Helping, ASharedSocketCanWaitForRoomToo) {
  thread_.call([&] { watch_->arm_write(); });
  const Time deadline = test_deadline();
  while (writes_ == 0 && loop().now() < deadline) std::this_thread::yield();
  EXPECT_EQ(writes_, 1);
  send(1);
  EXPECT_TRUE(wait_read(1));
}

TEST_F(Helping, TheEndOfTheLoopSendsTheHelperAwayFirst) {
  std::atomic<bool> has_left = false;
  ASSERT_TRUE(loop().begin_help());
  std::jthread stopper([&] {
    thread_.stop();
    EXPECT_TRUE(has_left);
  });
  while (loop().help(test_deadline())) {
  }
  has_left = true;
  loop().end_help();
  stopper.join();
  EXPECT_FALSE(loop().begin_help());
}

TEST_F(Helping, ManyHelpersAndTheLoopLoseNothing) {
  constexpr int kThreads = 3;
  constexpr int kBytes = 20'000;
  std::vector<std::jthread> helpers;
  for (int i = 0; i < kThreads; ++i) {
    helpers.emplace_back([&] {
      while (read_ < kBytes) {
        if (!loop().begin_help()) {
          std::this_thread::yield();
          continue;
        }
        loop().help(loop().now() + 1ms);
        loop().end_help();
      }
    });
  }
  for (int sent = 0; sent < kBytes;) {
    if (::send(theirs_.fd(), "x", 1, 0) == 1) ++sent;
  }
  EXPECT_TRUE(wait_read(kBytes));
}

}  // namespace
}  // namespace godwit
