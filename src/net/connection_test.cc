// net/connection_test.cc: frames in and out of one socket, and how its end is told.
#include "net/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/sockets.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using ::testing::HasSubstr;

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int fds[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    theirs_.reset(fds[1]);
    connection_ = std::make_shared<Connection>(
        *loop_, UniqueFd(fds[0]), outbox_,
        Connection::Events{[this](FramePtr frame) { frames_.push_back(std::move(frame)); },
                           [this] { ++rooms_; },
                           [this](const Error& why) {
                             lost_.push_back(why.message());
                             connection_->close();
                             connection_.reset();
                           }});
  }
  void TearDown() override {
    if (connection_) connection_->close();
  }
  void write(const std::vector<int>& values) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    ASSERT_TRUE(send_whole(theirs_.fd(), bytes));
  }
  bool run(const std::function<bool()>& done) { return loop_->run_until(test_deadline(), done); }

  const std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  Outbox outbox_{1000000};
  UniqueFd theirs_;
  std::shared_ptr<Connection> connection_;
  std::vector<FramePtr> frames_;
  std::vector<std::string> lost_;
  int rooms_ = 0;
};

TEST_F(ConnectionTest, FramesArriveAlsoThoseReadWithTheHello) {
  connection_->start({std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{7},
                      std::byte{2}, std::byte{0}});
  ASSERT_EQ(frames_.size(), 1U);
  write({0, 0, 8, 9, 1, 0, 0, 0, 5});
  ASSERT_TRUE(run([&] { return frames_.size() == 3; }));
  EXPECT_EQ(frames_[1]->size(), 2U);
  EXPECT_EQ(frames_[1]->bytes()[1], std::byte{9});
  EXPECT_EQ(frames_[2]->bytes()[0], std::byte{5});
}

TEST_F(ConnectionTest, AnImpossibleLengthEndsIt) {
  connection_->start({});
  write({1, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, 1});
  ASSERT_TRUE(run([&] { return !lost_.empty(); }));
  EXPECT_EQ(frames_.size(), 1U);
  EXPECT_THAT(lost_[0], HasSubstr("4294967295 bytes"));
  EXPECT_EQ(outbox_.send(frame_of(1)).status, SendStatus::kDown);
}

TEST_F(ConnectionTest, TheEndIsToldOnce) {
  connection_->start({});
  theirs_.reset();
  ASSERT_TRUE(run([&] { return !lost_.empty(); }));
  EXPECT_FALSE(loop_->run_until(loop_->now() + std::chrono::milliseconds(5), [] { return false; }));
  EXPECT_EQ(lost_.size(), 1U);
  EXPECT_THAT(lost_[0], HasSubstr("closed the connection"));
}

TEST_F(ConnectionTest, WhatWaitsIsWrittenWhenThereIsRoom) {
  connection_->start({});
  Outbox::Sent sent = outbox_.send(frame_of(900000));
  for (int i = 0; i < 100 && !sent.must_wait; ++i) sent = outbox_.send(frame_of(900000));
  ASSERT_TRUE(sent.must_wait);
  int taken = 0;
  while (taken < 1000 && outbox_.send(frame_of(10000)).status == SendStatus::kTaken) ++taken;
  ASSERT_LT(taken, 1000);
  connection_->write_when_writable();
  FrameReader reader;
  std::vector<FramePtr> received;
  ASSERT_TRUE(run([&] {
    for (long count = 1; count > 0;) {
      count = receive_some(theirs_.fd(), reader.room());
      if (count <= 0) break;
      EXPECT_TRUE(reader.commit(static_cast<std::size_t>(count), received).ok());
    }
    if (outbox_.is_empty()) return true;
    loop_->post([] {});  // so that the reader above gets its turn
    return false;
  }));
  EXPECT_EQ(rooms_, 1);
  EXPECT_TRUE(same_bytes(*received[0], *frame_of(900000)));
}

TEST_F(ConnectionTest, AnEndOfWritingIsSeenByTheOtherSide) {
  connection_->start({});
  connection_->end_writing();
  char byte = 0;
  EXPECT_EQ(::read(theirs_.fd(), &byte, 1), 0);
  EXPECT_TRUE(lost_.empty());
}

}  // namespace
}  // namespace godwit
