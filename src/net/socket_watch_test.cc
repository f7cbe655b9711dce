// net/socket_watch_test.cc: when a socket is ready, and that a quiet one costs nothing.
#include "net/socket_watch.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <time.h>

#include <optional>
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

TEST(SocketWatch, AQuietSocketUsesNoProcessor) {
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
