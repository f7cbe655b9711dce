// net/delaying_transport_test.cc: late, slow, in order, and bounded.
#include "net/delaying_transport.h"

#include <gtest/gtest.h>

#include "net/inproc_transport.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;

struct DelayedNode {
  DelayedNode(InprocNetwork& network, std::int64_t node, LinkSpeed speed,
              std::size_t queue_bytes_max = 1 << 20)
      : id(node),
        delaying(
            std::make_unique<DelayingTransport>(thread.loop(), speed, events, queue_bytes_max)),
        inner(std::make_unique<InprocTransport>(thread.loop(), network, id, Incarnation(1),
                                                *delaying)) {
    delaying->attach(*inner);
  }
  ~DelayedNode() {
    thread.stop();
    inner.reset();
    delaying.reset();
  }
  void start() {
    inner->start();
    thread.start();
  }

  const NodeId id;
  LoopThread thread;
  RecordingEvents events;
  std::unique_ptr<DelayingTransport> delaying;
  std::unique_ptr<InprocTransport> inner;
};

TEST(LinkSpeed, IsReadFromText) {
  const auto both = parse_link_speed("1gbit,0.2ms").value();
  EXPECT_DOUBLE_EQ(both.bytes_per_second, 125e6);
  EXPECT_EQ(both.latency, 200us);
  EXPECT_DOUBLE_EQ(parse_link_speed("100mbit").value().bytes_per_second, 12.5e6);
  EXPECT_EQ(parse_link_speed("50us").value().latency, 50us);
  EXPECT_EQ(parse_link_speed("1s,8kbit").value().latency, 1s);
  for (const char* text : {"", "1", "gbit", "1gb", "0ms", "-1ms", "1ms,1ms", "1gbit,1gbit",
                           "1gbit,", "1 gbit", "nanms", "1e30gbit", "1ms,1gbit,1ms"}) {
    const auto speed = parse_link_speed(text);
    ASSERT_FALSE(speed.ok()) << text;
    EXPECT_EQ(speed.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(DelayingTransport, AddsItsLatencyAndKeepsTheOrder) {
  InprocNetwork network;
  DelayedNode a(network, 0, {0, 60ms});
  DelayedNode b(network, 1, {0, 0ms});
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  const Time start = RealTime().now();
  for (std::size_t i = 1; i <= 100; ++i) {
    ASSERT_EQ(a.delaying->send(b.id, frame_of(i)), SendStatus::kTaken);
  }
  ASSERT_TRUE(b.events.wait_frames(a.id, 1));
  EXPECT_GE(RealTime().now() - start, 60ms);
  ASSERT_TRUE(b.events.wait_frames(a.id, 100));
  EXPECT_LT(RealTime().now() - start, 10s);  // not one after the other
  const auto frames = b.events.record(a.id).frames;
  for (std::size_t i = 1; i <= 100; ++i) ASSERT_EQ(frames[i - 1]->size(), i);
}

TEST(DelayingTransport, LimitsTheRate) {
  InprocNetwork network;
  DelayedNode a(network, 0, {1e6, 0ms});
  DelayedNode b(network, 1, {0, 0ms});
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  const Time start = RealTime().now();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(a.delaying->send(b.id, frame_of(10000)), SendStatus::kTaken);
  }
  ASSERT_TRUE(b.events.wait_frames(a.id, 20));
  EXPECT_GE(RealTime().now() - start, 199ms);
}

TEST(DelayingTransport, ItsQueueIsBounded) {
  InprocNetwork network;
  DelayedNode a(network, 0, {1e6, 0ms}, 50000);
  DelayedNode b(network, 1, {0, 0ms});
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  std::size_t taken = 0;
  while (taken < 1000 && a.delaying->send(b.id, frame_of(10000)) == SendStatus::kTaken) ++taken;
  EXPECT_GE(taken, 5U);
  EXPECT_TRUE(a.events.wait(b.id, [](const PeerRecord& record) { return record.rooms >= 1; }));
  EXPECT_TRUE(b.events.wait_frames(a.id, taken));
}

TEST(DelayingTransport, WaitsForRoomOfTheTransportBehindIt) {
  InprocNetwork network(5000);
  DelayedNode a(network, 0, {0, 1ms});
  DelayedNode b(network, 1, {0, 0ms});
  a.start();
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  b.thread.stop();
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(a.delaying->send(b.id, frame_of(1000)), SendStatus::kTaken);
  }
  a.thread.call([] {});
  b.thread.start();
  EXPECT_TRUE(b.events.wait_frames(a.id, 50));
}

TEST(DelayingTransport, WhatWaitsWhenTheConnectionIsLostIsLost) {
  InprocNetwork network;
  DelayedNode a(network, 0, {0, 100ms});
  DelayedNode b(network, 1, {0, 0ms});
  a.start();
  EXPECT_EQ(a.delaying->send(b.id, frame_of(1)), SendStatus::kDown);
  b.start();
  ASSERT_TRUE(a.events.wait_up(b.id) && b.events.wait_up(a.id));
  ASSERT_EQ(a.delaying->send(b.id, frame_of(1)), SendStatus::kTaken);
  network.drop(a.id, b.id);
  ASSERT_TRUE(a.events.wait_up(b.id, 2));
  ASSERT_EQ(a.delaying->send(b.id, frame_of(2)), SendStatus::kTaken);
  ASSERT_TRUE(b.events.wait_frames(a.id, 1));
  EXPECT_EQ(b.events.record(a.id).frames[0]->size(), 2U);
}

}  // namespace
}  // namespace godwit
