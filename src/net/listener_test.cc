// net/listener_test.cc: accepting, and going on when the system has no descriptors.
#include "net/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <vector>

#include "net/sockets.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ListenerTest : public ::testing::Test {
 protected:
  Listener::Events events() {
    return {[this](UniqueFd socket) { accepted_.push_back(std::move(socket)); },
            [this] { ++failed_; }};
  }
  bool run(const std::function<bool()>& done) { return loop_->run_until(test_deadline(), done); }

  const std::unique_ptr<EventLoop> loop_ = EventLoop::make().value();
  std::vector<std::string> lines_;
  const Log log_ =
      Log::to_callback([this](LogLevel, std::string_view line) { lines_.emplace_back(line); }, {});
  std::vector<UniqueFd> accepted_;
  int failed_ = 0;
};

TEST_F(ListenerTest, AcceptsAtAllItsAddresses) {
  Listener listener(*loop_, log_);
  const auto tcp = listener.add(SocketAddress::parse("127.0.0.1:0").value()).value();
  const auto unix_name =
      listener.add(SocketAddress::unix_abstract(own_name("listener")).value()).value();
  EXPECT_NE(tcp.port(), 0);
  std::vector<UniqueFd> ours;
  for (int i = 0; i < 50; ++i) {
    ours.push_back(begin_connect(i % 2 == 0 ? tcp : unix_name).value());
  }
  listener.start(events());
  EXPECT_TRUE(run([&] { return accepted_.size() == 50; }));
}

TEST_F(ListenerTest, AnAddressInUseIsAnError) {
  Listener listener(*loop_, log_);
  const auto address = listener.add(SocketAddress::parse("127.0.0.1:0").value()).value();
  EXPECT_FALSE(listener.add(address).ok());
}

TEST_F(ListenerTest, RemovesItsSocketFiles) {
  const std::string path = ::testing::TempDir() + own_name("listener");
  struct stat status {};
  {
    Listener listener(*loop_, log_);
    ASSERT_TRUE(listener.add(SocketAddress::unix_path(path).value()).ok());
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
  }
  EXPECT_NE(::stat(path.c_str(), &status), 0);
}

TEST_F(ListenerTest, WithoutDescriptorsItWaitsAndThenGoesOn) {
  Listener listener(*loop_, log_);
  const auto address =
      listener.add(SocketAddress::unix_abstract(own_name("limit")).value()).value();
  listener.start(events());
  const UniqueFd ours = begin_connect(address).value();
  // The undefined behaviour sanitizer looks at each type it meets for the first time through a
  // pipe of its own: what happens without descriptors must not be new to it.
  LogLimit limit(loop_->time(), 1s);
  log_.every(limit, LogLevel::kWarn, "not a line of {}: {}; it is {}", "the listener", "", "ours");
  lines_.clear();
  events().on_failed();
  failed_ = 0;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_FALSE(loop_->run_until(loop_->now() + 350ms, [&] { return !accepted_.empty(); }));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GE(failed_, 1);
  EXPECT_LE(failed_, 5);  // by timer, not as fast as it can
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], HasSubstr("too many open files"));
  EXPECT_TRUE(run([&] { return accepted_.size() == 1; }));
}

}  // namespace
}  // namespace godwit
