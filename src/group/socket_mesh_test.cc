// group/socket_mesh_test.cc: ranks as threads, over loopback.
#include "group/socket_mesh.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <thread>

#include "net/sockets.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class MeshOfThree : public testing::Test {
 protected:
  MeshOfThree() {
    for (int rank = 0; rank < 3; ++rank) {
      meshes_.push_back(SocketMesh::listen("127.0.0.1").value());
      addresses_.push_back(meshes_.back().address());
    }
  }
  Time in(Duration time) const { return time_.now() + time; }

  // Connected to the door of a rank, and silent.
  UniqueFd stranger_at(std::size_t rank) const {
    const std::string place = addresses_[rank].substr(addresses_[rank].find(' ') + 1);
    auto socket = begin_connect(SocketAddress::parse(place).value());
    if (!socket.ok()) return {};
    pollfd wait{socket->fd(), POLLOUT, 0};
    EXPECT_EQ(::poll(&wait, 1, 20'000), 1);
    return std::move(*socket);
  }
  static bool is_dropped(const UniqueFd& socket, int within_ms) {
    pollfd wait{socket.fd(), POLLIN, 0};
    if (::poll(&wait, 1, within_ms) != 1) return false;
    std::byte heard{};
    const iovec part{&heard, 1};
    return receive_some(socket.fd(), {&part, 1}) <= 0;
  }

  const RealTime time_;
  std::vector<SocketMesh> meshes_;
  std::vector<std::string> addresses_;
};

TEST_F(MeshOfThree, EachTwoAreConnected) {
  std::array<std::vector<UniqueFd>, 3> sockets;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank) {
      threads.emplace_back([&, rank] {
        const auto self = static_cast<std::size_t>(rank);
        sockets[self] = meshes_[self].connect(rank, addresses_, in(seconds(20))).value();
      });
    }
  }
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_FALSE(sockets[rank][rank].is_open());
    for (std::size_t peer = 0; peer < 3; ++peer) {
      if (peer == rank) continue;
      const auto told = static_cast<std::byte>(10 * rank + peer);
      ASSERT_TRUE(send_whole(sockets[rank][peer].fd(), std::span(&told, 1)));
      pollfd wait{sockets[peer][rank].fd(), POLLIN, 0};
      ASSERT_EQ(::poll(&wait, 1, 20'000), 1);
      std::byte heard{};
      const iovec part{&heard, 1};
      ASSERT_EQ(receive_some(sockets[peer][rank].fd(), {&part, 1}), 1);
      EXPECT_EQ(heard, told);
    }
  }
}

TEST_F(MeshOfThree, WhoDoesNotComeIsNamed) {
  std::jthread other(
      [&] { EXPECT_FALSE(meshes_[1].connect(1, addresses_, in(milliseconds(100))).ok()); });
  const auto sockets = meshes_[0].connect(0, addresses_, in(milliseconds(100)));
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(sockets.error().message(), testing::ContainsRegex("rank [12] does not connect"));
}

TEST_F(MeshOfThree, StrangersAreNotLetIn) {
  std::vector<std::string> wrong = addresses_;
  wrong[0] = "12345" + wrong[0].substr(wrong[0].find(' '));
  std::jthread stranger(
      [&] { static_cast<void>(meshes_[1].connect(1, wrong, in(milliseconds(100)))); });
  const auto sockets = meshes_[0].connect(0, {addresses_[0], addresses_[1]}, in(milliseconds(300)));
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kTimeout);
}

TEST_F(MeshOfThree, RanksMeetAmidSilentStrangersOfWhomTheOldestAreDropped) {
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(stranger_at(0));
  std::vector<std::jthread> threads;
  threads.emplace_back(
      [&] { EXPECT_TRUE(meshes_[0].connect(0, addresses_, in(seconds(60))).ok()); });
  // While rank 0 still waits: it has let in all 200, one after the other, and kept 128.
  for (std::size_t i = 0; i < 200 - 128; ++i) EXPECT_TRUE(is_dropped(silent[i], 10'000)) << i;
  EXPECT_FALSE(is_dropped(silent[199], 0));
  for (int rank = 1; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const auto self = static_cast<std::size_t>(rank);
      EXPECT_TRUE(meshes_[self].connect(rank, addresses_, in(seconds(60))).ok());
    });
  }
}

// With something to do in every turn, among it a rank that comes too late.
TEST_F(MeshOfThree, TheDeadlineHoldsWhileThereIsAlwaysSomebodyToLetIn) {
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(stranger_at(0));
  const std::vector<std::string> two{addresses_[0], addresses_[1]};
  EXPECT_TRUE(meshes_[1].connect(1, two, in(seconds(20))).ok());
  for (int i = 0; i < 10; ++i) silent.push_back(stranger_at(0));
  const auto sockets = meshes_[0].connect(0, two, in(Duration(0)));
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(sockets.error().message(), testing::HasSubstr("rank 1 does not connect"));
}

TEST_F(MeshOfThree, AStrangerThatKeepsConnectingAndTalkingDoesNotOutlastTheDeadline) {
  std::atomic<bool> is_over = false;
  std::jthread stranger([&] {
    while (!is_over) {
      const UniqueFd socket = stranger_at(0);
      const std::array<std::byte, 100> words{};
      if (socket.is_open()) static_cast<void>(send_whole(socket.fd(), words));
    }
  });
  const Time begin = time_.now();
  const auto sockets = meshes_[0].connect(0, addresses_, in(milliseconds(300)));
  is_over = true;
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kTimeout);
  EXPECT_LT(time_.now() - begin, seconds(10));
}

// Takes away the room for more files, and gives it back.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next.fd());
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(MeshOfThree, WhereTheSystemLetsNobodyInTheCauseIsTold) {
  const UniqueFd waiting = stranger_at(0);
  Result<std::vector<UniqueFd>> sockets = std::vector<UniqueFd>();
  {
    const NoMoreFiles no_more_files;
    sockets = meshes_[0].connect(0, addresses_, in(seconds(1)));
  }
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(sockets.error().message(), testing::HasSubstr("too many open files"));
}

TEST_F(MeshOfThree, ARankThatCannotBeReachedIsNamed) {
  const std::string gone = addresses_[0];
  meshes_.erase(meshes_.begin());
  const auto sockets = meshes_[0].connect(1, {gone, addresses_[1]}, in(seconds(20)));
  ASSERT_FALSE(sockets.ok());
  EXPECT_EQ(sockets.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(sockets.error().message(), testing::HasSubstr("rank 0"));
}

TEST(SocketMesh, AHostThatIsNotHereCannotBeListenedAt) {
  EXPECT_FALSE(SocketMesh::listen("192.0.2.1").ok());
}

}  // namespace
}  // namespace godwit
