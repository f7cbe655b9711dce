// net/outbox_test.cc: what goes at once, what waits, and the bound of what waits.
#include "net/outbox.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <thread>

#include "base/unique_fd.h"
#include "net/frame_reader.h"
#include "net/sockets.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

class OutboxTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytesMax = 100000;

  void SetUp() override {
    int fds[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    ours_.reset(fds[0]);
    theirs_.reset(fds[1]);
    const int small = 4096;
    ASSERT_EQ(::setsockopt(ours_.fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    outbox_.open(ours_.fd());
  }

  // Sends frames of `size` bytes until one has to wait.
  int fill(std::size_t size) {
    for (int count = 1;; ++count) {
      const Outbox::Sent sent = outbox_.send(frame_of(size, static_cast<std::uint8_t>(count)));
      EXPECT_EQ(sent.status, SendStatus::kTaken);
      if (sent.must_wait) return count;
    }
  }
  void read_all() {
    for (;;) {
      const long count = receive_some(theirs_.fd(), reader_.room());
      if (count <= 0) return;
      ASSERT_TRUE(reader_.commit(static_cast<std::size_t>(count), frames_).ok());
    }
  }
  // Until nothing waits; how often somebody was told that there is room.
  int drain() {
    int rooms = 0;
    for (;;) {
      const Outbox::Written written = outbox_.write_some();
      rooms += written.has_room ? 1 : 0;
      read_all();
      EXPECT_NE(written.progress, Outbox::Progress::kBroken);
      if (written.progress != Outbox::Progress::kBlocked) return rooms;
    }
  }

  UniqueFd ours_;
  UniqueFd theirs_;
  Outbox outbox_{kBytesMax};
  FrameReader reader_;
  std::vector<FramePtr> frames_;
};

TEST_F(OutboxTest, SendsAtOnceWhenNothingWaits) {
  EXPECT_EQ(outbox_.send(frame_of(100)).status, SendStatus::kTaken);
  EXPECT_TRUE(outbox_.is_empty());
  read_all();
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_TRUE(same_bytes(*frames_[0], *frame_of(100)));
}

TEST_F(OutboxTest, WhatTheSocketDoesNotTakeWaitsInOrderUpToTheBound) {
  int sent = fill(1000);
  while (outbox_.send(frame_of(1000, static_cast<std::uint8_t>(sent + 1))).status ==
         SendStatus::kTaken) {
    ++sent;
    ASSERT_LE(outbox_.waiting_bytes(), kBytesMax);
  }
  EXPECT_GT(outbox_.waiting_bytes(), kBytesMax - 1004);
  EXPECT_EQ(outbox_.send(frame_of(1000)).status, SendStatus::kFull);
  EXPECT_EQ(drain(), 1);
  EXPECT_TRUE(outbox_.is_empty());
  ASSERT_EQ(frames_.size(), static_cast<std::size_t>(sent));
  for (int i = 0; i < sent; ++i) {
    ASSERT_TRUE(same_bytes(*frames_[static_cast<std::size_t>(i)],
                           *frame_of(1000, static_cast<std::uint8_t>(i + 1))));
  }
}

TEST_F(OutboxTest, RoomIsToldOnlyWhenHalfIsFreeAndOnlyToWhoAsked) {
  fill(1000);
  EXPECT_EQ(drain(), 0);  // nobody got kFull
  fill(40000);
  EXPECT_EQ(outbox_.send(frame_of(50000)).status, SendStatus::kTaken);
  EXPECT_EQ(outbox_.send(frame_of(90000)).status, SendStatus::kFull);
  while (outbox_.waiting_bytes() > kBytesMax / 2) {
    read_all();
    EXPECT_FALSE(outbox_.write_some().has_room && outbox_.waiting_bytes() > kBytesMax / 2);
  }
  drain();
  EXPECT_EQ(outbox_.send(frame_of(90000)).status, SendStatus::kTaken);
}

TEST_F(OutboxTest, AFrameLargerThanTheBoundIsTakenAlone) {
  EXPECT_EQ(outbox_.send(frame_of(3 * kBytesMax)).status, SendStatus::kTaken);
  EXPECT_EQ(outbox_.send(frame_of(3 * kBytesMax)).status, SendStatus::kFull);
  EXPECT_EQ(outbox_.send(frame_of(1)).status, SendStatus::kFull);
  EXPECT_EQ(drain(), 1);
  EXPECT_EQ(outbox_.send(frame_of(3 * kBytesMax)).status, SendStatus::kTaken);
  drain();
  EXPECT_EQ(frames_.size(), 2U);
}

TEST_F(OutboxTest, SaysOnceThatTheLoopMustWait) {
  fill(1000);
  EXPECT_FALSE(outbox_.send(frame_of(10)).must_wait);
  drain();
  EXPECT_GE(fill(1000), 1);
}

TEST_F(OutboxTest, ClosedIsDownAndForgetsWhatWaited) {
  fill(5000);
  outbox_.close();
  EXPECT_TRUE(outbox_.is_empty());
  EXPECT_EQ(outbox_.send(frame_of(1)).status, SendStatus::kDown);
  outbox_.open(ours_.fd());
  read_all();
  EXPECT_EQ(outbox_.send(frame_of(1)).status, SendStatus::kTaken);
}

TEST_F(OutboxTest, FinishedTakesNothingButSendsWhatWaits) {
  const int sent = fill(1000);
  outbox_.finish();
  EXPECT_EQ(outbox_.send(frame_of(1)).status, SendStatus::kDown);
  drain();
  EXPECT_EQ(frames_.size(), static_cast<std::size_t>(sent));
}

TEST_F(OutboxTest, ALostConnectionIsFoundBySendingOrByWriting) {
  theirs_.reset();
  const Outbox::Sent sent = outbox_.send(frame_of(10));
  EXPECT_EQ(sent.status, SendStatus::kDown);
  EXPECT_TRUE(sent.must_wait);
  const Outbox::Sent again = outbox_.send(frame_of(10));
  EXPECT_EQ(again.status, SendStatus::kDown);
  EXPECT_FALSE(again.must_wait);
  const Outbox::Written written = outbox_.write_some();
  EXPECT_EQ(written.progress, Outbox::Progress::kBroken);
  EXPECT_EQ(written.error, EPIPE);
}

TEST_F(OutboxTest, FramesOfSeveralThreadsDoNotMix) {
  std::vector<std::jthread> senders;
  for (std::uint8_t t = 0; t < 4; ++t) {
    senders.emplace_back([this, t] {
      for (int i = 0; i < 200;) {
        if (outbox_.send(frame_of(777, t)).status == SendStatus::kTaken) {
          ++i;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  while (frames_.size() < 800) {
    outbox_.write_some();
    read_all();
  }
  std::array<int, 4> counts{};
  for (const FramePtr& frame : frames_) {
    const auto seed = static_cast<std::uint8_t>(frame->bytes()[0]);
    ASSERT_LT(seed, 4);
    ASSERT_TRUE(same_bytes(*frame, *frame_of(777, seed)));
    ++counts[seed];
  }
  EXPECT_EQ(counts, (std::array<int, 4>{200, 200, 200, 200}));
}

}  // namespace
}  // namespace godwit
