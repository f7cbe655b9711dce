// net/inproc_transport_test.cc: the promises of a transport, kept by memory.
#include "net/inproc_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "net/transport_fixture.h"

namespace godwit {
namespace {

using ::testing::HasSubstr;

struct InprocNode {
  InprocNode(InprocNetwork& network, std::int64_t node)
      : id(node),
        transport(std::make_unique<InprocTransport>(thread.loop(), network, id,
                                                    Incarnation(100 + node), events)) {}
  ~InprocNode() { close(); }
  void start() {
    transport->start();
    thread.start();
  }
  void close() {
    thread.stop();
    transport.reset();
  }

  const NodeId id;
  LoopThread thread;
  RecordingEvents events;
  std::unique_ptr<InprocTransport> transport;
};

TEST(InprocTransport, FramesArriveInOrderOnTheLoopOfTheReceiver) {
  InprocNetwork network;
  InprocNode a(network, 0);
  InprocNode b(network, 1);
  a.start();
  EXPECT_EQ(a.transport->send(b.id, frame_of(1)), SendStatus::kDown);
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  EXPECT_EQ(a.events.record(b.id).incarnation, Incarnation(101));
  for (std::size_t i = 1; i <= 1000; ++i) {
    ASSERT_EQ(a.transport->send(b.id, frame_of(i)), SendStatus::kTaken);
  }
  ASSERT_TRUE(b.events.wait_frames(a.id, 1000));
  const auto frames = b.events.record(a.id).frames;
  for (std::size_t i = 1; i <= 1000; ++i) ASSERT_EQ(frames[i - 1]->size(), i);
}

TEST(InprocTransport, AFullQueueIsToldAndSoIsRoom) {
  InprocNetwork network(10000);
  InprocNode a(network, 0);
  InprocNode b(network, 1);
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  b.thread.stop();
  std::size_t taken = 0;
  while (taken < 1000 && a.transport->send(b.id, frame_of(1000)) == SendStatus::kTaken) ++taken;
  EXPECT_EQ(taken, 10U);
  EXPECT_EQ(a.transport->send(b.id, frame_of(1000)), SendStatus::kFull);
  b.thread.start();
  EXPECT_TRUE(a.events.wait(b.id, [](const PeerRecord& record) { return record.rooms == 1; }));
  EXPECT_TRUE(b.events.wait_frames(a.id, taken));
  EXPECT_EQ(a.transport->send(b.id, frame_of(50000)), SendStatus::kTaken);  // alone
}

TEST(InprocTransport, ADroppedConnectionLosesWhatIsOnItsWayAndComesBack) {
  InprocNetwork network;
  InprocNode a(network, 0);
  InprocNode b(network, 1);
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  b.thread.stop();
  ASSERT_EQ(a.transport->send(b.id, frame_of(1)), SendStatus::kTaken);
  network.drop(b.id, a.id);
  ASSERT_EQ(a.transport->send(b.id, frame_of(2)), SendStatus::kTaken);
  b.thread.start();
  ASSERT_TRUE(a.events.wait_up(b.id, 2) && b.events.wait_up(a.id, 2));
  ASSERT_TRUE(b.events.wait_frames(a.id, 1));
  EXPECT_EQ(b.events.record(a.id).frames[0]->size(), 2U);
  EXPECT_EQ(b.events.record(a.id).downs, 1);
  EXPECT_THAT(a.events.record(b.id).last_down, HasSubstr("connection to node 1 was lost"));
}

TEST(InprocTransport, ACutConnectionStaysDownUntilItIsHealed) {
  InprocNetwork network;
  InprocNode a(network, 0);
  InprocNode b(network, 1);
  network.cut(a.id, b.id);
  a.start();
  b.start();
  EXPECT_EQ(a.transport->send(b.id, frame_of(1)), SendStatus::kDown);
  network.heal(b.id, a.id);
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  network.cut(b.id, a.id);
  ASSERT_TRUE(a.events.wait_down(b.id) && b.events.wait_down(a.id));
  EXPECT_EQ(b.transport->send(a.id, frame_of(1)), SendStatus::kDown);
}

TEST(InprocTransport, AClosedNodeIsDownForOthersAndItsPlaceCanBeTaken) {
  InprocNetwork network;
  InprocNode a(network, 0);
  auto b = std::make_unique<InprocNode>(network, 1);
  a.start();
  b->start();
  ASSERT_TRUE(a.events.wait_up(NodeId(1)));
  b.reset();
  ASSERT_TRUE(a.events.wait_down(NodeId(1)));
  EXPECT_EQ(a.transport->send(NodeId(1), frame_of(1)), SendStatus::kDown);
  InprocNode again(network, 1);
  again.start();
  EXPECT_TRUE(a.events.wait_up(NodeId(1), 2));
}

TEST(InprocTransport, SeveralThreadsMaySend) {
  InprocNetwork network;
  InprocNode a(network, 0);
  InprocNode b(network, 1);
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  {
    std::vector<std::jthread> threads;
    for (std::uint8_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 1; i <= 500; ++i) {
          EXPECT_EQ(a.transport->send(b.id, frame_of(i, t)), SendStatus::kTaken);
        }
      });
    }
  }
  ASSERT_TRUE(b.events.wait_frames(a.id, 2000));
  std::size_t last[4] = {};
  for (const FramePtr& frame : b.events.record(a.id).frames) {
    const auto t = static_cast<std::size_t>(frame->bytes()[0]);
    ASSERT_LT(t, 4U);
    ASSERT_EQ(frame->size(), ++last[t]);
  }
}

}  // namespace
}  // namespace godwit
