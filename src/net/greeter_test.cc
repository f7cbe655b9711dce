// net/greeter_test.cc: strangers are few, and for a short time.
#include "net/greeter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class GreeterTest : public ::testing::Test {
 protected:
  HelloOptions options_of(std::int64_t node) const {
    HelloOptions options;
    options.job = {"job", "t"};
    options.self = NodeId(node);
    options.incarnation = Incarnation(node + 1);
    return options;
  }
  std::unique_ptr<Greeter> greeter(std::size_t strangers_max, Duration deadline) {
    return std::make_unique<Greeter>(
        *loop_, Greeter::Options{options_of(0), deadline, strangers_max},
        Greeter::Events{[this](Greeted greeted) { greeted_.push_back(greeted.peer); },
                        [this](const Error& why) { refused_.push_back(why.message()); },
                        [this] { ++shed_; }});
  }
  // Our end of a connection whose other end is greeted.
  static UniqueFd knock(Greeter& greeter) {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    greeter.greet(UniqueFd(fds[1]));
    return UniqueFd(fds[0]);
  }

  const std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  std::vector<NodeId> greeted_;
  std::vector<std::string> refused_;
  int shed_ = 0;
};

TEST_F(GreeterTest, InAFloodOfSilentOnesANodeComesThrough) {
  const auto greeter = this->greeter(4, 30s);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(knock(*greeter));
    EXPECT_LE(greeter->strangers(), 4U);
  }
  EXPECT_EQ(shed_, 96);
  bool is_connected = false;
  const Handshake node(*loop_, knock(*greeter), Hello::connecting(options_of(1), NodeId(0)),
                       loop_->now() + 30s,
                       [&](Result<Greeted> outcome) { is_connected = outcome.ok(); });
  ASSERT_TRUE(loop_->run_until(test_deadline(), [&] { return is_connected; }));
  EXPECT_EQ(greeted_, std::vector<NodeId>{NodeId(1)});
  EXPECT_EQ(greeter->strangers(), 3U);
}

TEST_F(GreeterTest, SilentOnesAreDroppedAtTheDeadline) {
  const auto greeter = this->greeter(10, 20ms);
  const UniqueFd first = knock(*greeter);
  const UniqueFd second = knock(*greeter);
  ASSERT_TRUE(loop_->run_until(test_deadline(), [&] { return refused_.size() == 2; }));
  EXPECT_EQ(greeter->strangers(), 0U);
  EXPECT_THAT(refused_[0], HasSubstr("connection from unix:: the other side did not say hello"));
}

}  // namespace
}  // namespace godwit
