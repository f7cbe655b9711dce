// sim/network_test.cc: what a simulated network does to frames, nodes and time.
#include "sim/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace godwit::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr NodeId kA{0};
constexpr NodeId kB{1};

FramePtr numbered(std::uint64_t number, std::size_t size = 64) {
  auto frame = Frame::make(size);
  std::memset(frame->bytes().data(), 0, size);
  std::memcpy(frame->bytes().data(), &number, sizeof number);
  return frame;
}

class Recorder final : public TransportEvents {
 public:
  void on_up(NodeId /*peer*/, Incarnation incarnation) override { ups.push_back(incarnation); }
  void on_frame(NodeId /*peer*/, FramePtr frame) override {
    std::uint64_t number = 0;
    std::memcpy(&number, frame->bytes().data(), sizeof number);
    frames.push_back(number);
  }
  void on_room(NodeId /*peer*/) override { ++rooms; }
  void on_down(NodeId /*peer*/, const Error& why) override { downs.push_back(why.message()); }

  std::vector<Incarnation> ups;
  std::vector<std::uint64_t> frames;
  int rooms = 0;
  std::vector<std::string> downs;
};

class NetworkTest : public testing::Test {
 protected:
  static Faults calm() {
    return {.latency_max = milliseconds(1), .queue_bytes_max = std::size_t{1} << 20};
  }
  void make(const Faults& faults, std::uint64_t seed = 1) {
    a_ = Recorder();
    b_ = Recorder();
    network_.emplace(2, faults, Prng(seed));
    network_->attach(kA, a_);
    network_->attach(kB, b_);
    network_->start();
  }
  void run_for(Duration time) {
    bool ended = false;
    network_->schedule(time, [&] { ended = true; });
    while (!ended) ASSERT_TRUE(network_->step());
  }
  SendStatus send(std::uint64_t number, std::size_t size = 64) {
    return network_->sink(kA).send(kB, numbered(number, size));
  }

  std::optional<Network> network_;
  Recorder a_;
  Recorder b_;
};

TEST_F(NetworkTest, BothSidesAreToldOfAConnection) {
  make(calm());
  EXPECT_EQ(send(1), SendStatus::kDown);
  run_for(microseconds(1));
  EXPECT_THAT(a_.ups, ElementsAre(Incarnation{2}));
  EXPECT_THAT(b_.ups, ElementsAre(Incarnation{1}));
  EXPECT_EQ(send(1), SendStatus::kTaken);
}

TEST_F(NetworkTest, FramesArriveInOrderAndNotBeforeTheirTime) {
  make(calm());
  run_for(microseconds(1));
  for (std::uint64_t i = 1; i <= 5; ++i) send(i);
  run_for(Duration(1));
  EXPECT_THAT(b_.frames, IsEmpty());
  run_for(milliseconds(2));
  EXPECT_THAT(b_.frames, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(NetworkTest, AFullQueueRefusesAndTellsWhenThereIsRoom) {
  Faults faults = calm();
  faults.queue_bytes_max = 128;
  make(faults);
  run_for(microseconds(1));
  EXPECT_EQ(send(1), SendStatus::kTaken);
  EXPECT_EQ(send(2), SendStatus::kTaken);
  EXPECT_EQ(send(3), SendStatus::kFull);
  EXPECT_EQ(a_.rooms, 0);
  run_for(milliseconds(2));
  EXPECT_EQ(a_.rooms, 1);
  EXPECT_EQ(send(4, 1000), SendStatus::kTaken) << "one that is too large alone goes through";
}

TEST_F(NetworkTest, ALostConnectionLosesWhatIsOnItsWayAndIsMadeAgain) {
  Faults faults = calm();
  faults.latency_max = seconds(1);
  faults.drop_every = milliseconds(1);
  faults.reconnect_max = milliseconds(1);
  make(faults);
  int taken = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    taken += send(i) == SendStatus::kTaken;
    run_for(milliseconds(1));
  }
  network_->heal();
  run_for(seconds(5));
  EXPECT_GT(taken, 20);
  EXPECT_LT(b_.frames.size(), static_cast<std::size_t>(taken));
  EXPECT_TRUE(std::is_sorted(b_.frames.begin(), b_.frames.end()));
  EXPECT_GT(b_.ups.size(), 2);
  EXPECT_EQ(a_.ups.size(), b_.ups.size());
  EXPECT_EQ(b_.downs.size() + 1, b_.ups.size()) << "healed: it is up";
  EXPECT_EQ(send(1000), SendStatus::kTaken);
}

TEST_F(NetworkTest, SomeFramesComeTwiceUntilItHeals) {
  Faults faults = calm();
  faults.duplicates = 128;
  make(faults);
  run_for(microseconds(1));
  for (std::uint64_t i = 1; i <= 100; ++i) send(i);
  run_for(milliseconds(2));
  EXPECT_GT(b_.frames.size(), 120);
  EXPECT_LT(b_.frames.size(), 180);
  EXPECT_TRUE(std::is_sorted(b_.frames.begin(), b_.frames.end()));
  network_->heal();
  b_.frames.clear();
  for (std::uint64_t i = 1; i <= 100; ++i) send(i);
  run_for(milliseconds(2));
  EXPECT_EQ(b_.frames.size(), 100);
}

TEST_F(NetworkTest, APartitionHoldsFramesUpAndLosesNone) {
  Faults faults = calm();
  faults.latency_max = microseconds(1);
  faults.partition_every = milliseconds(1);
  faults.partition_max = milliseconds(500);
  make(faults);
  run_for(milliseconds(200));
  for (std::uint64_t i = 1; i <= 3; ++i) send(i);
  run_for(microseconds(10));
  EXPECT_THAT(b_.frames, IsEmpty());
  network_->heal();
  run_for(seconds(1));
  EXPECT_THAT(b_.frames, ElementsAre(1, 2, 3));
  EXPECT_THAT(b_.downs, IsEmpty());
}

TEST_F(NetworkTest, AFrozenNodeDoesItsTasksLaterInOrder) {
  Faults faults = calm();
  faults.freeze_every = milliseconds(1);
  faults.freeze_max = milliseconds(500);
  make(faults);
  run_for(milliseconds(200));
  std::vector<int> order;
  const Time begin = network_->now();
  Time done{};
  network_->after(kA, microseconds(1), [&] { order.push_back(1); });
  network_->after(kA, microseconds(2), [&] {
    order.push_back(2);
    done = network_->now();
  });
  network_->heal();
  run_for(seconds(1));
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_GT(done - begin, milliseconds(1));
}

TEST_F(NetworkTest, AKilledNodeDoesNothingAndIsNotConnectedAgain) {
  make(calm());
  run_for(microseconds(1));
  send(1);
  bool ran = false;
  network_->after(kB, milliseconds(1), [&] { ran = true; });
  network_->kill(kB);
  run_for(seconds(10));
  EXPECT_FALSE(ran);
  EXPECT_THAT(b_.frames, IsEmpty());
  EXPECT_THAT(a_.downs, ElementsAre("connection reset by peer"));
  EXPECT_THAT(b_.downs, IsEmpty());
  EXPECT_EQ(a_.ups.size(), 1);
  EXPECT_EQ(send(2), SendStatus::kDown);
}

TEST_F(NetworkTest, WhoTakesItsPlaceHasAnotherIncarnationAndNothingOfTheLifeBefore) {
  make(calm());
  run_for(microseconds(1));
  send(1);
  bool ran = false;
  network_->after(kB, milliseconds(1), [&] { ran = true; });
  network_->kill(kB);
  Recorder again;
  network_->attach(kB, again);
  network_->revive(kB);
  run_for(seconds(1));
  EXPECT_FALSE(ran);
  EXPECT_THAT(again.frames, IsEmpty());
  ASSERT_EQ(a_.ups.size(), 2U);
  EXPECT_NE(a_.ups[1], a_.ups[0]);
  EXPECT_EQ(send(2), SendStatus::kTaken);
  run_for(seconds(1));
  EXPECT_THAT(again.frames, ElementsAre(2));
}

TEST_F(NetworkTest, OnlyHubsAreConnectedWithAll) {
  network_.emplace(2, calm(), Prng(1));
  network_->attach(kA, a_);
  network_->attach(kB, b_);
  network_->set_hubs(1);
  network_->start();
  run_for(seconds(1));
  EXPECT_EQ(a_.ups.size(), 1U);
  network_.emplace(3, calm(), Prng(1));
  Recorder c;
  network_->attach(kA, a_);
  network_->attach(kB, b_);
  network_->attach(NodeId{2}, c);
  network_->set_hubs(1);
  network_->start();
  run_for(seconds(1));
  EXPECT_EQ(c.ups.size(), 1U) << "of node 0 alone";
}

TEST_F(NetworkTest, TheTraceTellsWhatHappened) {
  const auto trace_of = [&](std::uint64_t seed, std::uint64_t number) {
    make(calm(), seed);
    run_for(microseconds(1));
    send(number);
    run_for(milliseconds(2));
    return network_->trace_hash();
  };
  const std::uint64_t trace = trace_of(1, 1);
  EXPECT_EQ(trace_of(1, 1), trace);
  EXPECT_NE(trace_of(1, 2), trace) << "other bytes";
  EXPECT_NE(trace_of(2, 1), trace) << "other times";
}

TEST(Network, StepEndsWhenNothingIsLeft) {
  Network network(1, {}, Prng(1));
  network.start();
  EXPECT_FALSE(network.step());
  int runs = 0;
  network.schedule(seconds(3), [&] { ++runs; });
  EXPECT_TRUE(network.step());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(network.now(), Time{} + seconds(3));
  EXPECT_FALSE(network.step());
}

}  // namespace
}  // namespace godwit::sim
