// net/hostile_peer_test.cc: whatever strangers do on a node's port, the job goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/bytes.h"
#include "base/prng.h"
#include "net/socket_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Two nodes of one job that are connected, and strangers at the door of the first.
class HostilePeer : public ::testing::TestWithParam<SocketKind> {
 protected:
  void SetUp() override {
    auto options = socket_options(0, GetParam());
    options.hello_deadline = 100ms;
    options.strangers_max = 20;
    a_ = std::make_unique<SocketNode>(options);
    b_ = std::make_unique<SocketNode>(socket_options(1, GetParam()));
    // Node 2 is a peer that does not come.
    const Peer absent{NodeId(2), Incarnation(9), {}};
    a_->start({b_->peer(), absent});
    b_->start({a_->peer()});
    ASSERT_TRUE(a_->events.wait_up(b_->id));
    ASSERT_TRUE(b_->events.wait_up(a_->id));
  }
  void TearDown() override {
    // Nothing of all this was noticed by the two.
    EXPECT_TRUE(a_->send_surely(*b_, frame_of(100000)));
    EXPECT_TRUE(b_->events.wait_frames(a_->id, 1));
    EXPECT_EQ(a_->events.record(b_->id).downs, 0);
    EXPECT_EQ(b_->events.record(a_->id).downs, 0);
    EXPECT_EQ(a_->events.record(NodeId(2)).ups, 0);
  }
  // The refusal that the hello of `options` to node 0 ends in.
  std::string refusal_of(const SocketTransportOptions& options) {
    SocketNode stranger(options);
    stranger.start({a_->peer()});
    const Time deadline = test_deadline();
    std::optional<Error> error;
    // On a slow machine the hello may end at its deadline first.
    while (RealTime().now() < deadline &&
           !(error && error->code() == ErrorCode::kInvalidArgument)) {
      error = stranger.transport->last_error(a_->id);
      std::this_thread::yield();
    }
    EXPECT_EQ(stranger.events.record(a_->id).ups, 0);
    return error ? error->message() : "none";
  }
  // Whoever is refused may know of it a little before it is counted.
  bool has_refused() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (a_->transport->counts().hellos_refused == 0) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::unique_ptr<SocketNode> a_;
  std::unique_ptr<SocketNode> b_;
};

INSTANTIATE_TEST_SUITE_P(Both, HostilePeer, ::testing::Values(SocketKind::kUnix, SocketKind::kTcp),
                         [](const auto& kind) {
                           return kind.param == SocketKind::kUnix ? "Unix" : "Tcp";
                         });

TEST_P(HostilePeer, GarbageIsAnsweredByClosing) {
  Prng prng(7);
  for (int i = 0; i < 20; ++i) {
    const UniqueFd stranger = connect_stranger(a_->transport->endpoint());
    std::vector<std::byte> bytes(1 + prng.below(3000));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng.below(256));
    static_cast<void>(send_whole(stranger.fd(), bytes));
    EXPECT_TRUE(is_closed_by_peer(stranger));
  }
}

TEST_P(HostilePeer, SilentAndHalfOpenConnectionsAreDroppedAtTheDeadline) {
  const UniqueFd silent = connect_stranger(a_->transport->endpoint());
  const UniqueFd slow = connect_stranger(a_->transport->endpoint());
  std::vector<std::byte> start;
  ByteWriter(start).write_u32(100);
  ASSERT_TRUE(send_whole(slow.fd(), start));
  EXPECT_TRUE(is_closed_by_peer(silent));
  EXPECT_TRUE(is_closed_by_peer(slow));
  EXPECT_TRUE(has_refused());
}

TEST_P(HostilePeer, AHugeAnnouncedLengthIsAnsweredByClosing) {
  for (const std::uint32_t length : {0U, 513U, 1U << 20, 0x7fffffffU, 0xffffffffU}) {
    const UniqueFd stranger = connect_stranger(a_->transport->endpoint());
    std::vector<std::byte> bytes;
    ByteWriter writer(bytes);
    writer.write_u32(length);
    writer.write_u8(1);
    ASSERT_TRUE(send_whole(stranger.fd(), bytes));
    EXPECT_TRUE(is_closed_by_peer(stranger)) << length;
  }
}

TEST_P(HostilePeer, ThreeHundredConnectionsDoNotKeepANodeOut) {
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.push_back(connect_stranger(a_->transport->endpoint()));
  }
  b_->transport->disconnect(a_->id, "to have it connect again");
  EXPECT_TRUE(a_->events.wait_up(b_->id, 2));
  EXPECT_TRUE(b_->events.wait_up(a_->id, 2));
  for (const UniqueFd& stranger : strangers) EXPECT_TRUE(is_closed_by_peer(stranger));
  EXPECT_GE(a_->transport->counts().strangers_shed, 1U);
  // TearDown() counts the loss that this test made.
  b_->events.forget_downs(a_->id);
  a_->events.forget_downs(b_->id);
}

TEST_P(HostilePeer, AnotherTokenIsRefused) {
  auto options = socket_options(2, GetParam());
  options.job.token = "wrong";
  EXPECT_THAT(refusal_of(options), HasSubstr("nodes 2 and 0 of job"));
  EXPECT_TRUE(has_refused());
}

TEST_P(HostilePeer, AnotherJobIsRefused) {
  auto options = socket_options(2, GetParam());
  options.job.id = "another";
  EXPECT_THAT(refusal_of(options), HasSubstr("is of job 'another', this one of job 'test-"));
}

TEST_P(HostilePeer, AnotherVersionIsToldWhichOneIsSpoken) {
  HelloOptions options;
  options.job = socket_options(2).job;
  options.self = NodeId(2);
  options.incarnation = Incarnation(1);
  options.version = kProtocolVersion + 6;
  Hello hello = Hello::connecting(options, NodeId(0));
  const UniqueFd stranger = connect_stranger(a_->transport->endpoint());
  ASSERT_TRUE(send_whole(stranger.fd(), hello.take_output()));
  while (!hello.is_over()) {
    std::byte bytes[512];
    const iovec part{bytes, sizeof bytes};
    pollfd waiting{stranger.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 30000), 1);
    const long count = receive_some(stranger.fd(), {&part, 1});
    ASSERT_GT(count, 0);
    hello.receive(std::span(bytes).first(static_cast<std::size_t>(count)));
  }
  EXPECT_EQ(hello.error()->message(),
            "refused by the other side: the other side speaks version 7 of the protocol, this one "
            "version 1: all nodes must run the same Godwit");
}

TEST_P(HostilePeer, ANodeThatIsNoPeerIsRefused) {
  EXPECT_THAT(refusal_of(socket_options(3, GetParam())),
              HasSubstr("refused by the other side: node 3 is not a peer of node 0"));
}

TEST_P(HostilePeer, FramesBeforeTheHelloAreGarbage) {
  const UniqueFd stranger = connect_stranger(a_->transport->endpoint());
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.write_u32(100);
  writer.write_bytes(frame_of(100)->bytes());
  ASSERT_TRUE(send_whole(stranger.fd(), bytes));
  EXPECT_TRUE(is_closed_by_peer(stranger));
}

}  // namespace
}  // namespace godwit
