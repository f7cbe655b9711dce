// core/links_test.cc: every frame once and in order, whatever becomes of connections.
#include "core/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/core_fixture.h"
#include "wire/control_messages.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr NodeId kSelf{0};
constexpr NodeId kPeer{1};
constexpr NodeId kOther{2};

std::shared_ptr<Frame> frame() {
  return make_frame(kFirstTerm, Beat{});
}
const std::size_t kBytes = frame()->size();

class LinksTest : public testing::Test {
 protected:
  void make(const Links::Options& options) {
    links_.emplace(kSelf, 3, sink_, options);
    links_->on_up(kPeer);
    links_->on_up(kOther);
  }
  void SetUp() override { make({}); }

  Links& links() { return *links_; }
  void send(int count = 1) {
    for (int i = 0; i < count; ++i) links().send(kPeer, frame());
  }
  // Whether it is new. REQUIRES: its numbers are possible.
  bool receive(std::uint64_t sequence, std::uint64_t received = 0) {
    return links().on_frame(kPeer, {sequence, received, kFirstTerm}, kBytes).value();
  }
  Error refusal(std::uint64_t sequence, std::uint64_t received) {
    return links().on_frame(kPeer, {sequence, received, kFirstTerm}, kBytes).error();
  }
  // The numbers of what was sent since the last call.
  std::vector<std::uint64_t> sent_numbers() {
    std::vector<std::uint64_t> numbers;
    for (const auto& sent : std::exchange(sink_.sent, {})) {
      EXPECT_EQ(sent.peer, kPeer);
      numbers.push_back(header_of(sent.frame).sequence);
    }
    return numbers;
  }

  RecordingSink sink_;

 private:
  std::optional<Links> links_;
};

TEST_F(LinksTest, FramesAreNumberedFromOnePerPeer) {
  send(2);
  EXPECT_THAT(sent_numbers(), ElementsAre(1, 2));
  links().send(kOther, frame());
  ASSERT_EQ(sink_.sent.size(), 1);
  EXPECT_EQ(header_of(sink_.sent[0].frame).sequence, 1);
  EXPECT_EQ(links().sent(kPeer), 2);
  EXPECT_EQ(links().sent(kOther), 1);
}

TEST_F(LinksTest, TheNextIsNewAndARepeatIsNot) {
  EXPECT_TRUE(receive(1));
  EXPECT_TRUE(receive(2));
  EXPECT_FALSE(receive(1));
  EXPECT_FALSE(receive(2));
  EXPECT_EQ(links().received(kPeer), 2);
  EXPECT_TRUE(receive(3));
  EXPECT_EQ(links().received(kOther), 0);
}

TEST_F(LinksTest, AnUnnumberedFrameIsAlwaysHandledAndNotCounted) {
  EXPECT_TRUE(receive(0));
  EXPECT_TRUE(receive(0));
  EXPECT_EQ(links().received(kPeer), 0);
  EXPECT_TRUE(receive(1));
}

TEST_F(LinksTest, AGapIsCorruption) {
  EXPECT_TRUE(receive(1));
  const Error error = refusal(3, 0);
  EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  EXPECT_THAT(error.message(), HasSubstr("frame 3 of node 1 came after frame 1"));
  EXPECT_EQ(links().received(kPeer), 1);
}

TEST_F(LinksTest, AReceiptForWhatWasNotSentIsCorruption) {
  send(2);
  const Error error = refusal(1, 3);
  EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  EXPECT_THAT(error.message(), HasSubstr("received frame 3, but only 2 were sent"));
  EXPECT_FALSE(links().all_received(kPeer));
}

TEST_F(LinksTest, ExactlyTheUnreceiptedIsSentAgainAfterAReconnect) {
  send(5);
  receive(0, 2);
  sent_numbers();
  links().on_down(kPeer);
  links().on_up(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(3, 4, 5));
  receive(0, 5);
  EXPECT_TRUE(links().all_received(kPeer));
  links().on_down(kPeer);
  links().on_up(kPeer);
  EXPECT_THAT(sent_numbers(), IsEmpty());
}

TEST_F(LinksTest, WhatIsSentWithoutAConnectionGoesOutWithTheNextOne) {
  links().on_down(kPeer);
  send(2);
  EXPECT_THAT(sent_numbers(), IsEmpty());
  links().on_room(kPeer);
  EXPECT_THAT(sent_numbers(), IsEmpty()) << "room is no connection";
  links().on_up(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(1, 2));
}

TEST_F(LinksTest, AFullConnectionGoesOnInOrderWhenThereIsRoom) {
  sink_.room = 2;
  send(5);
  EXPECT_THAT(sent_numbers(), ElementsAre(1, 2));
  sink_.room = 1;
  links().on_room(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(3));
  sink_.room = 10;
  send();
  EXPECT_THAT(sent_numbers(), ElementsAre(4, 5, 6)) << "a new frame does not overtake";
}

TEST_F(LinksTest, AReceiptWhileTheConnectionIsFullSkipsNothing) {
  sink_.room = 3;
  send(5);
  EXPECT_THAT(sent_numbers(), ElementsAre(1, 2, 3));
  receive(0, 2);
  sink_.room = 10;
  links().on_room(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(4, 5));
}

// Frames 1 to 3 arrived over the connection before; its receipt overtakes our resending.
TEST_F(LinksTest, AReceiptOfTheConnectionBeforeSparesTheResending) {
  send(4);
  sent_numbers();
  links().on_down(kPeer);
  sink_.room = 1;
  links().on_up(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(1));
  receive(0, 3);
  sink_.room = 10;
  links().on_room(kPeer);
  EXPECT_THAT(sent_numbers(), ElementsAre(4));
}

TEST_F(LinksTest, ReceiptsRideOnFramesOfTheOtherDirection) {
  receive(1);
  receive(2);
  EXPECT_THAT(sink_.sent, IsEmpty());
  send();
  links().send_unnumbered(kPeer, frame());
  ASSERT_EQ(sink_.sent.size(), 2);
  EXPECT_EQ(header_of(sink_.sent[0].frame).received, 2);
  EXPECT_EQ(header_of(sink_.sent[1].frame).received, 2);
  EXPECT_EQ(header_of(sink_.sent[1].frame).sequence, 0);
}

TEST_F(LinksTest, AOneWayStreamIsReceiptedAfterSoManyFrames) {
  make({.receipt_every_frames = 3});
  for (std::uint64_t i = 1; i <= 2; ++i) receive(i);
  EXPECT_THAT(sink_.sent, IsEmpty());
  receive(3);
  ASSERT_EQ(sink_.sent.size(), 1);
  EXPECT_EQ(type_of(sink_.sent[0].frame), PartType::kReceipt);
  EXPECT_EQ(header_of(sink_.sent[0].frame).received, 3);
  EXPECT_EQ(header_of(sink_.sent[0].frame).sequence, 0);
  receive(4);
  receive(5);
  send();
  receive(6);
  receive(7);
  EXPECT_EQ(sink_.sent.size(), 2) << "what rode on our own frame needs no receipt";
}

TEST_F(LinksTest, AOneWayStreamIsReceiptedAfterSoManyBytes) {
  make({.receipt_every_bytes = 2 * kBytes});
  receive(1);
  EXPECT_THAT(sink_.sent, IsEmpty());
  receive(2);
  EXPECT_EQ(sink_.sent.size(), 1);
}

TEST_F(LinksTest, ARepeatIsReceiptedToo) {
  make({.receipt_every_frames = 2});
  receive(1);
  receive(1);
  EXPECT_EQ(sink_.sent.size(), 1) << "its sender does not know that it arrived";
}

TEST_F(LinksTest, AReceiptThatWasNotTakenIsTriedAgain) {
  make({.receipt_every_frames = 2});
  receive(1);
  sink_.status = SendStatus::kFull;
  receive(2);
  sink_.status = SendStatus::kTaken;
  receive(3);
  ASSERT_EQ(sink_.sent.size(), 1);
  EXPECT_EQ(header_of(sink_.sent[0].frame).received, 3);
}

TEST_F(LinksTest, UnnumberedFramesAreNeverKept) {
  links().on_down(kPeer);
  links().send_unnumbered(kPeer, frame());
  links().on_up(kPeer);
  EXPECT_THAT(sink_.sent, IsEmpty());
  EXPECT_TRUE(links().all_received(kPeer));
}

TEST_F(LinksTest, ThereIsRoomUntilTheWindowIsFull) {
  make({.window_bytes = 2 * kBytes});
  EXPECT_TRUE(links().has_room(kPeer));
  send();
  EXPECT_TRUE(links().has_room(kPeer));
  send();
  EXPECT_FALSE(links().has_room(kPeer));
  EXPECT_TRUE(links().has_room(kOther));
  send();
  EXPECT_THAT(sent_numbers(), ElementsAre(1, 2, 3)) << "send() never refuses";
  receive(0, 1);
  EXPECT_FALSE(links().has_room(kPeer));
  receive(0, 2);
  EXPECT_TRUE(links().has_room(kPeer));
}

TEST_F(LinksTest, NothingIsKeptForAForgottenPeer) {
  make({.window_bytes = kBytes});
  send(2);
  links().on_down(kPeer);
  links().forget(kPeer);
  EXPECT_TRUE(links().all_received(kPeer));
  EXPECT_TRUE(links().has_room(kPeer));
  send(2);
  EXPECT_TRUE(links().all_received(kPeer)) << "nobody would ever receipt it";
  EXPECT_TRUE(links().has_room(kPeer));
}

}  // namespace
}  // namespace godwit
