// net/socket_transport_test.cc: frames between nodes over both kinds of sockets: order, bounds,
// several threads, lost connections, the end.
#include "net/socket_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/socket_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class SocketTransportKinds : public ::testing::TestWithParam<SocketKind> {};

INSTANTIATE_TEST_SUITE_P(Both, SocketTransportKinds,
                         ::testing::Values(SocketKind::kUnix, SocketKind::kTcp),
                         [](const auto& kind) {
                           return kind.param == SocketKind::kUnix ? "Unix" : "Tcp";
                         });

TEST_P(SocketTransportKinds, FramesOfAllSizesArriveWholeAndInOrderBothWays) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  EXPECT_EQ(a.events.record(b.id).incarnation, Incarnation(1001));
  const std::vector<std::size_t> sizes = {1,     2,     63,     4096,    65531,   65532,
                                          65536, 65537, 262144, 1000000, 8000000, 3};
  for (const std::size_t size : sizes) {
    ASSERT_TRUE(a.send_surely(b, frame_of(size, 1)));
    ASSERT_TRUE(b.send_surely(a, frame_of(size, 2)));
  }
  ASSERT_TRUE(a.events.wait_frames(b.id, sizes.size()));
  ASSERT_TRUE(b.events.wait_frames(a.id, sizes.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(same_bytes(*a.events.record(b.id).frames[i], *frame_of(sizes[i], 2))) << sizes[i];
    EXPECT_TRUE(same_bytes(*b.events.record(a.id).frames[i], *frame_of(sizes[i], 1))) << sizes[i];
  }
}

TEST_P(SocketTransportKinds, ManySmallFramesArriveInOrder) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  constexpr std::uint32_t kCount = 50000;
  std::atomic<std::uint32_t> next{0};
  std::atomic<bool> in_order{true};
  b.events.keep_frames = false;
  b.events.frame_hook = [&](NodeId, const FramePtr& frame) {
    std::uint32_t number = 0;
    std::memcpy(&number, frame->bytes().data(), sizeof number);
    if (number != next.fetch_add(1)) in_order = false;
    if (number + 1 == kCount) b.transport->send(a.id, frame_of(1));
  };
  start_all({&a, &b});
  for (std::uint32_t i = 0; i < kCount; ++i) {
    auto frame = Frame::make(16);
    std::memcpy(frame->bytes().data(), &i, sizeof i);
    ASSERT_TRUE(a.send_surely(b, frame));
  }
  ASSERT_TRUE(a.events.wait_frames(b.id, 1));
  EXPECT_EQ(next, kCount);
  EXPECT_TRUE(in_order);
}

TEST_P(SocketTransportKinds, ASlowReaderMeansFullThenRoomAndNeverMoreMemory) {
  auto options = socket_options(0, GetParam());
  options.queue_bytes_max = 1 << 20;
  SocketNode a(options);
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  b.thread.stop();  // does not read
  const FramePtr frame = frame_of(100000);
  const auto has_room_again = [](int rooms) {
    return [rooms](const PeerRecord& record) { return record.rooms > rooms; };
  };
  // Until it is full for good: the loop moves some of the queue into the system's buffers first.
  int taken = 0;
  int rooms = 0;
  for (;; rooms = a.events.record(b.id).rooms) {
    while (taken < 1000 && a.send(b, frame) == SendStatus::kTaken) ++taken;
    if (!a.events.wait(b.id, has_room_again(rooms), RealTime().now() + 200ms)) break;
  }
  EXPECT_EQ(a.send(b, frame), SendStatus::kFull);
  // The queue, what the system's buffers hold on both sides, and nothing more.
  EXPECT_GE(taken, 10);
  EXPECT_LE(taken, 10 + 400);
  // No copies wait: all that waits is the one frame, shared, once per place in the queue.
  EXPECT_LE(frame.use_count(), 1 + 11);
  b.thread.start();
  EXPECT_TRUE(a.events.wait(b.id, has_room_again(rooms)));
  EXPECT_EQ(a.send(b, frame), SendStatus::kTaken);
  EXPECT_TRUE(b.events.wait_frames(a.id, static_cast<std::size_t>(taken) + 1));
}

TEST_P(SocketTransportKinds, FourThreadsSendAtOnceAndEachKeepsItsOrder) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  constexpr std::size_t kEach = 1500;
  {
    std::vector<std::jthread> senders;
    for (std::uint8_t t = 0; t < 4; ++t) {
      senders.emplace_back([&a, &b, t] {
        for (std::uint32_t i = 0; i < kEach; ++i) {
          auto frame = Frame::make(8 + 977 * t);
          const std::uint32_t words[2] = {t, i};
          std::memset(frame->bytes().data(), t, frame->size());
          std::memcpy(frame->bytes().data(), words, sizeof words);
          EXPECT_TRUE(a.send_surely(b, frame));
        }
      });
    }
  }
  ASSERT_TRUE(b.events.wait_frames(a.id, 4 * kEach));
  std::uint32_t next[4] = {};
  for (const FramePtr& frame : b.events.record(a.id).frames) {
    std::uint32_t words[2] = {};
    std::memcpy(words, frame->bytes().data(), sizeof words);
    ASSERT_LT(words[0], 4U);
    ASSERT_EQ(frame->size(), 8 + 977 * words[0]);
    ASSERT_EQ(words[1], next[words[0]]++);
    ASSERT_EQ(frame->bytes().back(),
              static_cast<std::byte>(words[0] == 0 ? words[1] >> 24 : words[0]));
  }
}

TEST_P(SocketTransportKinds, ADroppedConnectionIsToldOnBothSidesAndMadeAnew) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  int round = 1;
  for (SocketNode* node : {&a, &b}) {
    SocketNode& other = node == &a ? b : a;
    node->transport->disconnect(other.id, "for a test");
    ++round;
    for (auto& [self, peer] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      ASSERT_TRUE(self->events.wait_down(peer->id, round - 1));
      ASSERT_TRUE(self->events.wait_up(peer->id, round));
    }
    EXPECT_THAT(node->events.record(other.id).last_down, HasSubstr("for a test"));
    EXPECT_FALSE(node->transport->last_error(other.id).has_value());
  }
  EXPECT_TRUE(a.send_surely(b, frame_of(5)));
  EXPECT_TRUE(b.events.wait_frames(a.id, 1));
}

TEST_P(SocketTransportKinds, ARestartedNodeComesBackAsAnotherIncarnation) {
  SocketNode a(socket_options(0, GetParam()));
  auto b = std::make_unique<SocketNode>(socket_options(1, GetParam()));
  start_all({&a, b.get()});
  b.reset();  // killed
  ASSERT_TRUE(a.events.wait_down(NodeId(1)));
  EXPECT_THAT(a.events.record(NodeId(1)).last_down, HasSubstr("connection to node 1 was lost"));
  EXPECT_EQ(a.transport->send(NodeId(1), frame_of(1)), SendStatus::kDown);
  ASSERT_TRUE(a.transport->last_error(NodeId(1)).has_value());
  auto options = socket_options(1, GetParam());
  options.incarnation = Incarnation(77);
  SocketNode again(options);
  again.start({a.peer()});
  ASSERT_TRUE(a.events.wait_up(NodeId(1), 2));
  EXPECT_EQ(a.events.record(NodeId(1)).incarnation, Incarnation(77));
}

TEST_P(SocketTransportKinds, ANewConnectionTakesThePlaceOfAnOldOneAfterItsEnd) {
  SocketNode a(socket_options(0, GetParam()));
  auto b = std::make_unique<SocketNode>(socket_options(1, GetParam()));
  start_all({&a, b.get()});
  // The same incarnation connects again while its old connection is still open.
  auto options = socket_options(1, GetParam());
  options.unix_socket = false;
  SocketNode again(options);
  again.start({a.peer()});
  ASSERT_TRUE(again.events.wait_up(a.id));
  ASSERT_TRUE(a.events.wait_up(NodeId(1), 2));
  EXPECT_GE(a.events.record(NodeId(1)).downs, 1);
  EXPECT_THAT(a.events.record(NodeId(1)).last_down, HasSubstr("took the place of the old one"));
}

TEST_P(SocketTransportKinds, ClosingSendsWhatIsQueued) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(a.send_surely(b, frame_of(300000)));
  a.close(30s);
  ASSERT_TRUE(b.events.wait_down(a.id));
  EXPECT_EQ(b.events.record(a.id).frames.size(), 40U);
}

TEST_P(SocketTransportKinds, ClosingDoesNotWaitLongForAPeerThatDoesNotRead) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  b.thread.stop();
  const FramePtr frame = frame_of(300000);
  int taken = 0;
  while (taken < 1000 && a.send(b, frame) == SendStatus::kTaken) ++taken;
  EXPECT_LT(taken, 1000);
  const Time start = RealTime().now();
  a.close(50ms);
  EXPECT_LT(RealTime().now() - start, 5s);
}

TEST_P(SocketTransportKinds, ClosingIsPromptWhenThePeerIsGone) {
  SocketNode a(socket_options(0, GetParam()));
  SocketNode b(socket_options(1, GetParam()));
  start_all({&a, &b});
  a.close();
  const Time start = RealTime().now();
  b.close(20s);
  EXPECT_LT(RealTime().now() - start, 10s);
}

TEST(SocketTransport, FourNodesAreAllConnected) {
  SocketNode a(socket_options(0));
  SocketNode b(socket_options(1));
  SocketNode c(socket_options(2));
  SocketNode d(socket_options(7));
  start_all({&a, &b, &c, &d});
  EXPECT_TRUE(c.send_surely(b, frame_of(9)));
  EXPECT_TRUE(b.events.wait_frames(c.id, 1));
  EXPECT_EQ(a.transport->send(NodeId(3), frame_of(1)), SendStatus::kDown);
  EXPECT_EQ(a.transport->send(NodeId(-1), frame_of(1)), SendStatus::kDown);
  EXPECT_EQ(a.transport->send(a.id, frame_of(1)), SendStatus::kDown);
}

TEST(SocketTransport, OnOneMachineTheUnixSocketIsTakenAndTcpIfItDoesNotWork) {
  SocketNode a(socket_options(0));
  SocketNode b(socket_options(1));
  Peer wrong_name = a.peer();
  wrong_name.endpoint.unix_name += "-not-there";
  a.start({b.peer()});
  b.start({wrong_name});
  EXPECT_TRUE(b.events.wait_up(a.id));
}

TEST(SocketTransport, SendingInsideOnUpIsPossible) {
  SocketNode a(socket_options(0));
  SocketNode b(socket_options(1));
  a.events.up_hook = [&](NodeId peer) {
    EXPECT_EQ(a.transport->send(peer, frame_of(3)), SendStatus::kTaken);
  };
  b.events.up_hook = [&](NodeId peer) {
    EXPECT_EQ(b.transport->send(peer, frame_of(4)), SendStatus::kTaken);
  };
  start_all({&a, &b});
  EXPECT_TRUE(a.events.wait_frames(b.id, 1));
  EXPECT_TRUE(b.events.wait_frames(a.id, 1));
}

TEST(SocketTransport, BeforeAPeerIsThereItIsDownAndTheReasonIsKnown) {
  SocketNode b(socket_options(1));
  b.start({{NodeId(0), Incarnation(5), {"", "", "127.0.0.1", 1}}});
  EXPECT_EQ(b.transport->send(NodeId(0), frame_of(1)), SendStatus::kDown);
  const Time deadline = test_deadline();
  while (!b.transport->last_error(NodeId(0)) && RealTime().now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(b.transport->last_error(NodeId(0))->message(),
            "connecting to node 0 at 127.0.0.1:1: connection refused");
}

TEST(SocketTransport, BadOptionsAndPeersAreRefused) {
  const auto loop = EventLoop::make().value();
  const Log log = quiet_log();
  RecordingEvents events;
  const auto listens = [&](const std::function<void(SocketTransportOptions&)>& change) {
    auto options = socket_options(4);
    change(options);
    return SocketTransport(*loop, options, events, log).listen();
  };
  EXPECT_TRUE(listens([](auto&) {}).ok());
  EXPECT_FALSE(listens([](auto& options) { options.job.token = ""; }).ok());
  EXPECT_FALSE(listens([](auto& options) { options.self = NodeId(-1); }).ok());
  EXPECT_FALSE(listens([](auto& options) { options.incarnation = Incarnation(); }).ok());
  EXPECT_FALSE(listens([](auto& options) { options.queue_bytes_max = 0; }).ok());
  EXPECT_FALSE(listens([](auto& options) { options.tcp_address = "nonsense"; }).ok());
  EXPECT_FALSE(listens([](auto& options) { options.retry_min = 0s; }).ok());
  EXPECT_FALSE(listens([](auto& options) {
                 options.tcp_address = "";
                 options.unix_socket = false;
               }).ok());
  SocketTransport transport(*loop, socket_options(4), events, log);
  ASSERT_TRUE(transport.listen().ok());
  const Peer peer{NodeId(5), Incarnation(1), {}};
  EXPECT_FALSE(transport.start({peer, peer}).ok());
  EXPECT_FALSE(transport.start({{NodeId(-5), Incarnation(1), {}}}).ok());
  EXPECT_FALSE(transport.start({{NodeId(1), Incarnation(1), {}}}).ok());  // cannot be reached
  EXPECT_TRUE(transport.start({peer}).ok());
}

TEST(SocketTransport, APortInUseIsNamed) {
  const auto loop = EventLoop::make().value();
  const Log log = quiet_log();
  RecordingEvents events;
  SocketTransport first(*loop, socket_options(0, SocketKind::kTcp), events, log);
  ASSERT_TRUE(first.listen().ok());
  auto options = socket_options(1, SocketKind::kTcp);
  options.tcp_port = first.endpoint().tcp_port;
  SocketTransport second(*loop, options, events, log);
  const Result<> listening = second.listen();
  ASSERT_FALSE(listening.ok());
  EXPECT_THAT(listening.error().message(),
              HasSubstr("port " + std::to_string(options.tcp_port) + " of 127.0.0.1 is in use"));
}

}  // namespace
}  // namespace godwit
