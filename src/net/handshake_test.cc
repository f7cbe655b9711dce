// net/handshake_test.cc: hellos over real sockets, with all that can go wrong in between.
#include "net/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/sockets.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class HandshakeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int fds[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    a_.reset(fds[0]);
    b_.reset(fds[1]);
  }
  static HelloOptions options_of(std::int64_t node, const std::string& token) {
    HelloOptions options;
    options.job = {"job", token};
    options.self = NodeId(node);
    options.incarnation = Incarnation(node + 1);
    return options;
  }
  std::unique_ptr<Handshake> listen(UniqueFd socket, std::optional<Result<Greeted>>& result,
                                    Duration deadline = 30s) {
    return std::make_unique<Handshake>(
        *loop_, std::move(socket), Hello::listening(options_of(0, "t")), loop_->now() + deadline,
        [&result](Result<Greeted> outcome) { result = std::move(outcome); });
  }
  std::unique_ptr<Handshake> connect(UniqueFd socket, std::optional<Result<Greeted>>& result,
                                     const std::string& token = "t") {
    return std::make_unique<Handshake>(
        *loop_, std::move(socket), Hello::connecting(options_of(1, token), NodeId(0)),
        loop_->now() + 30s, [&result](Result<Greeted> outcome) { result = std::move(outcome); });
  }
  bool run(const std::function<bool()>& done) { return loop_->run_until(test_deadline(), done); }

  const std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  UniqueFd a_;
  UniqueFd b_;
  std::optional<Result<Greeted>> first_;
  std::optional<Result<Greeted>> second_;
};

TEST_F(HandshakeTest, BothSidesLearnTheOther) {
  const auto connecting = connect(std::move(a_), first_);
  const auto listening = listen(std::move(b_), second_);
  ASSERT_TRUE(run([&] { return first_ && second_; }));
  ASSERT_TRUE(first_->ok() && second_->ok());
  EXPECT_EQ((*first_)->peer, NodeId(0));
  EXPECT_EQ((*second_)->peer, NodeId(1));
  EXPECT_EQ((*second_)->incarnation, Incarnation(2));
  EXPECT_TRUE((*first_)->socket.is_open());
  EXPECT_TRUE((*second_)->early.empty());
}

TEST_F(HandshakeTest, AnotherTokenFailsOnBothSides) {
  const auto connecting = connect(std::move(a_), first_, "other");
  const auto listening = listen(std::move(b_), second_);
  ASSERT_TRUE(run([&] { return first_ && second_; }));
  ASSERT_FALSE(first_->ok() || second_->ok());
  EXPECT_THAT(first_->error().message(), HasSubstr("different tokens"));
  EXPECT_THAT(second_->error().message(), HasSubstr("different tokens"));
}

TEST_F(HandshakeTest, SilenceEndsAtTheDeadline) {
  const Time start = loop_->now();
  const auto listening = listen(std::move(b_), second_, 30ms);
  ASSERT_TRUE(run([&] { return second_.has_value(); }));
  EXPECT_GE(loop_->now() - start, 30ms);
  EXPECT_EQ(second_->error().code(), ErrorCode::kTimeout);
  char byte = 0;
  EXPECT_EQ(::read(a_.fd(), &byte, 1), 0);  // closed
}

TEST_F(HandshakeTest, GarbageEndsItAtOnce) {
  const auto listening = listen(std::move(b_), second_);
  ASSERT_EQ(::write(a_.fd(), "GET / HTTP/1.1\r\n\r\n", 18), 18);
  ASSERT_TRUE(run([&] { return second_.has_value(); }));
  EXPECT_EQ(second_->error().code(), ErrorCode::kCorruption);
}

TEST_F(HandshakeTest, AClosedConnectionEndsItAtOnce) {
  const auto listening = listen(std::move(b_), second_);
  a_.reset();
  ASSERT_TRUE(run([&] { return second_.has_value(); }));
  EXPECT_EQ(second_->error().code(), ErrorCode::kUnavailable);
}

TEST_F(HandshakeTest, ARefusedConnectionIsUnavailable) {
  SocketAddress address = SocketAddress::tcp("127.0.0.1", 1).value();
  {
    const UniqueFd gone = listen_at(SocketAddress::tcp("127.0.0.1", 0).value()).value();
    address = SocketAddress::local_of(gone.fd()).value();
  }
  const auto connecting = connect(begin_connect(address).value(), first_);
  ASSERT_TRUE(run([&] { return first_.has_value(); }));
  EXPECT_EQ(first_->error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(first_->error().message(), HasSubstr("connection refused"));
}

TEST_F(HandshakeTest, DestroyedEarlyItCallsNothing) {
  auto listening = listen(std::move(b_), second_, 1ms);
  listening.reset();
  EXPECT_FALSE(loop_->run_until(loop_->now() + 10ms, [&] { return second_.has_value(); }));
}

}  // namespace
}  // namespace godwit
