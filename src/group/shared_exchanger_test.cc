// group/shared_exchanger_test.cc: whose end is noticed while a rank waits. What ranks say to each
// other through memory is in the tests of groups, and of gloo.
#include "group/shared_exchanger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "group/inproc_group.h"
#include "group/scratch.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

// Rank 0 of three, which has sent more to rank 1 than memory holds.
class StuckSend : public testing::Test {
 protected:
  StuckSend() {
    std::vector<std::byte*> places;
    for (Scratch& part : memory_) {
      places.push_back(part.take(SharedLinks::memory_bytes(3)).data());
      SharedLinks::clear(places.back(), 3);
    }
    rank_0_ = with_shared_memory(std::move(others_[0]), places, nullptr,
                                 [this](int peer) { return peer == dead_; });
    for (std::uint32_t i = 0; i <= SharedChannel::kSlots; ++i) {
      static_cast<void>(rank_0_->send(1, short_).value());
    }
  }
  // For rank 2, by another way than memory.
  Result<> wait_for_long_message(Duration patience) {
    const auto receiving = rank_0_->receive(2, long_).value();
    return rank_0_->wait(receiving, time_.now() + patience);
  }

  const RealTime time_;
  std::vector<Scratch> memory_ = std::vector<Scratch>(3);
  std::vector<std::unique_ptr<Exchanger>> others_ = make_inproc_exchangers(3);
  std::vector<std::byte> short_ = std::vector<std::byte>(100);
  std::vector<std::byte> long_ = std::vector<std::byte>(SharedChannel::kMessageBytesMax + 1);
  int dead_ = -1;
  std::unique_ptr<Exchanger> rank_0_;
};

TEST_F(StuckSend, ToARankThatIsGoneIsNoticedWhileAnotherIsWaitedFor) {
  dead_ = 1;
  const Time begin = time_.now();
  const auto done = wait_for_long_message(seconds(30));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kUnavailable) << done.error().message();
  EXPECT_THAT(done.error().message(), HasSubstr("rank 1 is gone"));
  EXPECT_LT(time_.now() - begin, seconds(10));
}

TEST_F(StuckSend, NamesWhoDoesNotReceive) {
  const auto done = wait_for_long_message(milliseconds(100));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(done.error().message(), HasSubstr("rank 1 does not receive"));
}

TEST_F(StuckSend, ARankThatIsGoneAndOwesNothingDoesNotMatter) {
  dead_ = 2;
  std::vector<std::byte> bytes(100);
  const auto receiving = rank_0_->receive(1, bytes).value();
  const auto done = rank_0_->wait(receiving, time_.now() + milliseconds(100));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(done.error().message(), HasSubstr("rank 1 does not send"));
}

}  // namespace
}  // namespace godwit
