// net/ask_lines_test.cc: hosts that do not answer as they should.
#include "net/ask_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "net/socket_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

LineHost host(const std::string& name) {
  return {SocketAddress::unix_abstract(own_name(name)).value(),
          static_cast<std::int64_t>(::geteuid())};
}

TEST(AskLines, EachFailsForItself) {
  const std::vector<LineHost> hosts{host("nobody"), host("silent"), host("quitter")};
  const UniqueFd silent = listen_at(hosts[1].address).value();
  const UniqueFd quitter = listen_at(hosts[2].address).value();
  const std::jthread quits([&] {
    pollfd waiting{quitter.fd(), POLLIN, 0};
    ::poll(&waiting, 1, 20000);
    const UniqueFd accepted(::accept(quitter.fd(), nullptr, nullptr));
  });
  const auto answers = ask_lines(hosts, "status", 200ms);
  EXPECT_EQ(answers[0].error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(answers[0].error().message(), HasSubstr("refused"));
  EXPECT_EQ(answers[1].error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(answers[1].error().message(), HasSubstr("no answer within"));
  EXPECT_EQ(answers[2].error().code(), ErrorCode::kUnavailable);
}

TEST(AskLines, AnotherUsersSocketIsNotAsked) {
  LineHost squatted = host("squatted");
  const UniqueFd listening = listen_at(squatted.address).value();
  squatted.user += 1;
  const auto answers = ask_lines({&squatted, 1}, "status", 20s);
  EXPECT_THAT(answers[0].error().message(), HasSubstr("another user"));
}

TEST(AskLines, NobodyToAskIsNoAnswer) {
  EXPECT_TRUE(ask_lines({}, "status", 1h).empty());
}

}  // namespace
}  // namespace godwit
