// net/late_door_test.cc: who may come in after the start, and who may not.
#include "net/late_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/rendezvous_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A door of a job of four nodes, of which the first two own rows, on a thread of its own.
class LateDoorTest : public ::testing::Test {
 protected:
  void open(const std::string& name) {
    address_ = rendezvous_name(name);
    const RendezvousOptions host = rendezvous_options(address_, 0, 4);
    LateDoorOptions options{.address = address_,
                            .self = host.self,
                            .incarnation = host.incarnation,
                            .job = host.job,
                            .first = 2};
    for (std::int64_t node = 0; node < 4; ++node) {
      const RendezvousOptions one = rendezvous_options(address_, node, 4);
      options.peers.push_back({one.self, one.incarnation, one.endpoint});
    }
    door_ = std::make_unique<LateDoor>(
        *loop_, std::move(options),
        [this](NodeId) {
          ++asked_;
          return is_free_.load();
        },
        log_);
    ASSERT_TRUE(door_->open().ok());
    thread_ = std::jthread([this] { loop_->run(); });
  }
  void TearDown() override {
    loop_->stop();
    thread_.join();
    door_.reset();
  }
  PeersResult come(std::int64_t node, std::int64_t nodes = 4, std::int64_t incarnation = 777) {
    auto options = rendezvous_options(address_, node, nodes);
    options.incarnation = Incarnation(incarnation);
    options.endpoint.tcp_port = 7777;
    return rendezvous(options, log_);
  }

  const Log log_ = quiet_log();
  std::string address_;
  std::atomic<bool> is_free_{true};
  std::atomic<int> asked_{0};
  std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  std::unique_ptr<LateDoor> door_;
  std::jthread thread_;
};

TEST_F(LateDoorTest, TellsWhereTheOthersAreAndRemembersTheNewcomer) {
  open("tells");
  const PeersResult peers = come(3);
  ASSERT_TRUE(peers.ok()) << peers.error().message();
  ASSERT_EQ(peers->size(), 4U);
  EXPECT_EQ((*peers)[1].endpoint.tcp_port, 1001);
  EXPECT_EQ((*peers)[3].endpoint.tcp_port, 7777);
  EXPECT_EQ((*peers)[3].incarnation, Incarnation(777));
  const PeersResult second = come(2);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)[3].endpoint.tcp_port, 7777);
}

TEST_F(LateDoorTest, WaitsUntilThePlaceIsFree) {
  open("waits");
  is_free_ = false;
  std::optional<PeersResult> peers;
  std::jthread guest([&] { peers = come(3); });
  while (asked_ < 3) std::this_thread::yield();
  EXPECT_FALSE(peers.has_value());
  is_free_ = true;
  guest.join();
  EXPECT_TRUE(peers->ok());
}

TEST_F(LateDoorTest, WhoOwnedRowsIsToldThatItCannotComeBack) {
  open("owner");
  const PeersResult peers = come(1);
  ASSERT_FALSE(peers.ok());
  EXPECT_EQ(peers.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(peers.error().message(), HasSubstr("node 1 owned rows"));
}

TEST_F(LateDoorTest, WhoIsOfAnotherJobIsRefused) {
  open("other");
  EXPECT_THAT(come(3, 5).error().message(), HasSubstr("one of 5 nodes"));
  EXPECT_THAT(come(4, 5).error().message(), HasSubstr("one of 5 nodes"));
}

}  // namespace
}  // namespace godwit
