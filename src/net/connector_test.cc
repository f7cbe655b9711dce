// net/connector_test.cc: ways in order, trying again, and pauses.
#include "net/connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/greeter.h"
#include "net/listener.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ConnectorTest : public ::testing::Test {
 protected:
  static HelloOptions options_of(std::int64_t node, const std::string& token = "t") {
    HelloOptions options;
    options.job = {"job", token};
    options.self = NodeId(node);
    options.incarnation = Incarnation(node + 1);
    return options;
  }
  // A node 0 that greets at `address`.
  void serve(const SocketAddress& address) {
    greeter_ = std::make_unique<Greeter>(
        *loop_, Greeter::Options{options_of(0), 30s},
        Greeter::Events{[this](Greeted greeted) { served_.push_back(std::move(greeted.socket)); },
                        [](const Error&) {}, [] {}});
    listener_ = std::make_unique<Listener>(*loop_, log_);
    bound_ = listener_->add(address).value();
    listener_->start({[this](UniqueFd socket) { greeter_->greet(std::move(socket)); }, [] {}});
  }
  std::unique_ptr<Connector> connector(std::vector<SocketAddress> ways,
                                       const std::string& token = "t") {
    return std::make_unique<Connector>(
        *loop_,
        Connector::Options{std::move(ways), options_of(1, token), NodeId(0), 30s, 5ms, 40ms},
        Connector::Events{[this](Greeted greeted) { made_.push_back(std::move(greeted)); },
                          [this](const Error& why) { failed_.push_back(why.message()); }});
  }
  bool run(const std::function<bool()>& done) { return loop_->run_until(test_deadline(), done); }

  const std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  const Log log_ = quiet_log();
  const SocketAddress nobody_ = SocketAddress::unix_abstract(own_name("nobody")).value();
  std::unique_ptr<Greeter> greeter_;
  std::unique_ptr<Listener> listener_;
  SocketAddress bound_ = nobody_;
  std::vector<UniqueFd> served_;
  std::vector<Greeted> made_;
  std::vector<std::string> failed_;
};

TEST_F(ConnectorTest, TakesTheFirstWayThatWorks) {
  serve(SocketAddress::parse("127.0.0.1:0").value());
  const auto connector = this->connector({nobody_, bound_});
  connector->start();
  ASSERT_TRUE(run([&] { return made_.size() == 1; }));
  EXPECT_EQ(made_[0].peer, NodeId(0));
  EXPECT_TRUE(failed_.empty());
  EXPECT_FALSE(SocketAddress::local_of(made_[0].socket.fd()).value().is_unix());
}

TEST_F(ConnectorTest, TriesAgainUntilSomebodyIsThere) {
  const auto connector = this->connector({nobody_});
  connector->start();
  ASSERT_TRUE(run([&] { return failed_.size() >= 3; }));
  EXPECT_EQ(failed_[0],
            "connecting to node 0 at unix:@" + own_name("nobody") + ": connection refused");
  serve(nobody_);
  EXPECT_TRUE(run([&] { return made_.size() == 1; }));
}

TEST_F(ConnectorTest, PausesGrowUpToTheirBound) {
  const auto connector = this->connector({nobody_});
  const Time start = loop_->now();
  connector->start();
  ASSERT_TRUE(run([&] { return failed_.size() == 6; }));
  EXPECT_GE(loop_->now() - start, 5ms + 10ms + 20ms + 40ms + 40ms);
}

TEST_F(ConnectorTest, ARefusalIsToldAndNotTriedAnotherWay) {
  serve(SocketAddress::unix_abstract(own_name("token")).value());
  const auto connector = this->connector({bound_, nobody_}, "other");
  connector->start();
  ASSERT_TRUE(run([&] { return !failed_.empty(); }));
  EXPECT_THAT(failed_[0], HasSubstr("different tokens"));
}

TEST_F(ConnectorTest, AfterASuccessItPausesBeforeTheNext) {
  serve(SocketAddress::unix_abstract(own_name("again")).value());
  const auto connector = this->connector({bound_});
  const Time start = loop_->now();
  connector->start();
  for (std::size_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(run([&] { return made_.size() == i; }));
    connector->start();
  }
  EXPECT_GE(loop_->now() - start, 5ms + 10ms + 20ms);
}

TEST_F(ConnectorTest, StoppedItCallsNothing) {
  const auto connector = this->connector({nobody_});
  connector->start();
  connector->stop();
  EXPECT_FALSE(loop_->run_until(loop_->now() + 20ms, [&] { return !failed_.empty(); }));
}

}  // namespace
}  // namespace godwit
