// group/socket_mesh_test.cc: ranks as threads, over loopback.
#include "group/socket_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
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
