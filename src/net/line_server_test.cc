// net/line_server_test.cc: good questions, and those who ask badly.
#include "net/line_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>
#include <vector>

#include "net/ask_lines.h"
#include "net/socket_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;

class LineServerTest : public ::testing::Test {
 protected:
  void start(LineServer::Options options = {}) {
    server_ = std::make_unique<LineServer>(thread_.loop(), log_, options,
                                           [this](std::string_view question) {
                                             ++questions_;
                                             if (question == "big")
                                               return std::string(8 << 20, 'x');
                                             return "<" + std::string(question) + ">";
                                           });
    ASSERT_TRUE(server_->listen(host_.address).ok());
    thread_.start();
  }
  void TearDown() override {
    thread_.stop();
    server_.reset();
  }
  Result<std::string> ask(std::string_view question, Duration within = 20s) {
    return std::move(ask_lines({&host_, 1}, question, within)[0]);
  }
  UniqueFd connect() const { return begin_connect(host_.address).value(); }
  static bool say(const UniqueFd& socket, std::string_view text) {
    return send_whole(socket.fd(), std::as_bytes(std::span(text)));
  }
  std::size_t clients() {
    std::size_t count = 0;
    thread_.call([&] { count = server_->clients(); });
    return count;
  }

  LoopThread thread_;
  const Log log_ = quiet_log();
  const LineHost host_{SocketAddress::unix_abstract(own_name("lines")).value(),
                       static_cast<std::int64_t>(::geteuid())};
  std::unique_ptr<LineServer> server_;
  std::atomic<int> questions_{0};
};

TEST_F(LineServerTest, AnswersManyAtOnce) {
  start();
  const std::vector<LineHost> hosts(6, host_);
  for (const auto& answer : ask_lines(hosts, "who?", 20s)) EXPECT_EQ(answer.value(), "<who?>");
  EXPECT_EQ(ask("").value(), "<>");
  EXPECT_EQ(questions_, 7);
}

TEST_F(LineServerTest, AnAnswerLargerThanTheBuffersArrives) {
  start();
  EXPECT_EQ(ask("big").value().size(), std::size_t{8} << 20U);
}

TEST_F(LineServerTest, AQuestionMayComeInPieces) {
  start();
  const UniqueFd socket = connect();
  ASSERT_TRUE(say(socket, "on"));
  EXPECT_EQ(ask("between").value(), "<between>");
  ASSERT_TRUE(say(socket, "e\nand more"));
  pollfd waiting{socket.fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&waiting, 1, 20000), 1);
  char answer[16] = {};
  EXPECT_EQ(::recv(socket.fd(), answer, sizeof answer, 0), 6);
  EXPECT_STREQ(answer, "<one>\n");
}

TEST_F(LineServerTest, ALineWithoutEndIsDropped) {
  start({.deadline = 1h});
  const UniqueFd socket = connect();
  static_cast<void>(say(socket, std::string(100'000, 'a')));
  EXPECT_TRUE(is_closed_by_peer(socket));
  const UniqueFd other = connect();
  static_cast<void>(say(other, std::string(513, 'a') + "\n"));
  EXPECT_TRUE(is_closed_by_peer(other));
  EXPECT_EQ(questions_, 0);
  EXPECT_EQ(ask(std::string(512, 'a')).value().size(), 514u);
}

TEST_F(LineServerTest, WhoSaysNothingOrDoesNotReadIsDroppedInTime) {
  start({.deadline = 50ms});
  const UniqueFd silent = connect();
  EXPECT_TRUE(is_closed_by_peer(silent));
  const UniqueFd deaf = connect();
  ASSERT_TRUE(say(deaf, "big\n"));
  while (questions_ == 0 || clients() > 0) std::this_thread::yield();
}

TEST_F(LineServerTest, ACrowdOfSilentOnesKeepsNobodyOut) {
  start({.deadline = 1h});
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect());
  EXPECT_EQ(ask("me?").value(), "<me?>");
  EXPECT_LE(clients(), 8u);
}

TEST_F(LineServerTest, WhoeverGoesBeforeTheAnswerIsForgotten) {
  start({.deadline = 1h});
  for (int i = 0; i < 20; ++i) static_cast<void>(say(connect(), i % 2 == 0 ? "big\n" : "x"));
  while (clients() > 0) std::this_thread::yield();
  EXPECT_EQ(ask("still there?").value(), "<still there?>");
}

TEST_F(LineServerTest, OnlyUnixSocketsTellWhoAsks) {
  LineServer server(thread_.loop(), log_, {}, [](std::string_view) { return std::string(); });
  const auto listening = server.listen(SocketAddress::parse("127.0.0.1:0").value());
  EXPECT_EQ(listening.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace godwit
