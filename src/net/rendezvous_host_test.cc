// net/rendezvous_host_test.cc: node 0 among guests that repeat, vanish or are strangers.
#include "net/rendezvous_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "net/rendezvous_fixture.h"
#include "net/sockets.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RendezvousHost, TheSecondOfTwoNodesWithOneIdIsToldAndTheFirstIsNotHarmed) {
  const std::string address = rendezvous_name("repeated");
  const Log log = quiet_log();
  std::vector<std::string> lines;
  const Log host_log =
      Log::to_callback([&](LogLevel, std::string_view line) { lines.emplace_back(line); }, {});
  std::optional<PeersResult> host;
  std::optional<PeersResult> first;
  std::jthread host_thread([&] { host = rendezvous(rendezvous_options(address, 0, 3), host_log); });
  std::atomic<bool> first_done{false};
  std::atomic<bool> second_done{false};
  std::jthread first_thread([&] {
    first = rendezvous(rendezvous_options(address, 1, 3), log);
    first_done = true;
  });
  // Whichever of the two comes second is refused; the other is kept waiting for node 2.
  auto second_options = rendezvous_options(address, 1, 3);
  second_options.incarnation = Incarnation(555);
  std::optional<PeersResult> second;
  std::jthread second_thread([&] {
    second = rendezvous(second_options, log);
    second_done = true;
  });
  while (!first_done && !second_done) std::this_thread::yield();
  const PeersResult& refused = first_done ? *first : *second;
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("two processes say that they are node 1"),
                    HasSubstr("incarnation 101"), HasSubstr("incarnation 555")));
  EXPECT_TRUE(rendezvous(rendezvous_options(address, 2, 3), log).ok());
  host_thread.join();
  first_thread.join();
  second_thread.join();
  EXPECT_TRUE(host->ok());
  EXPECT_NE(first->ok(), second->ok());
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], HasSubstr("two processes say that they are node 1"));
}

TEST(RendezvousHost, ARepeatedIdIsPartOfTheErrorOfNodeZero) {
  const std::string address = rendezvous_name("repeated-late");
  auto host = rendezvous_options(address, 0, 3);
  host.deadline = 1s;
  auto second = rendezvous_options(address, 1, 3);
  second.incarnation = Incarnation(555);
  const auto results = meet({host, rendezvous_options(address, 1, 3), second});
  EXPECT_EQ(results[0].error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(results[0].error().message(),
              AllOf(HasSubstr("node 2 did not register"),
                    HasSubstr("two processes say that they are node 1")));
}

TEST(RendezvousHost, ASecondNodeZeroCannotListen) {
  const std::string address = rendezvous_name("two-hosts");
  auto first = rendezvous_options(address, 0, 2);
  auto second = first;
  first.deadline = second.deadline = 1s;
  const auto results = meet({first, second});
  const auto& loser = results[0].error().code() == ErrorCode::kTimeout ? results[1] : results[0];
  EXPECT_EQ(loser.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(loser.error().message(), HasSubstr("address already in use"));
}

TEST(RendezvousHost, AGuestThatVanishedMayComeBackAsAnotherProcess) {
  const std::string address = rendezvous_name("vanished");
  const Log log = quiet_log();
  std::optional<PeersResult> host;
  std::jthread host_thread([&] { host = rendezvous(rendezvous_options(address, 0, 3), log); });
  auto vanishing = rendezvous_options(address, 1, 3);
  vanishing.deadline = 300ms;
  EXPECT_FALSE(rendezvous(vanishing, log).ok());
  auto again = rendezvous_options(address, 1, 3);
  again.incarnation = Incarnation(777);
  std::optional<PeersResult> came;
  std::jthread came_thread([&] { came = rendezvous(again, log); });
  EXPECT_TRUE(rendezvous(rendezvous_options(address, 2, 3), log).ok());
  host_thread.join();
  came_thread.join();
  ASSERT_TRUE(host->ok());
  EXPECT_TRUE(came->ok());
  EXPECT_EQ((**host)[1].incarnation, Incarnation(777));
}

TEST(RendezvousHost, StrangersAtTheAddressDoNotDisturb) {
  const std::string text = rendezvous_name("strangers");
  const auto address = SocketAddress::parse(text).value();
  const Log log = quiet_log();
  std::optional<PeersResult> host;
  std::jthread host_thread([&] { host = rendezvous(rendezvous_options(text, 0, 2), log); });
  std::vector<UniqueFd> strangers;
  while (strangers.size() < 200) {
    auto socket = begin_connect(address);
    if (!socket.ok()) continue;  // node 0 does not listen yet
    if (strangers.size() % 2 == 0) {
      static_cast<void>(::send(socket->fd(), "garbage", 7, MSG_NOSIGNAL));
    }
    strangers.push_back(std::move(socket).value());
  }
  EXPECT_TRUE(rendezvous(rendezvous_options(text, 1, 2), log).ok());
  host_thread.join();
  EXPECT_TRUE(host->ok());
}

TEST(RendezvousHost, ManyMissingNodesAreNamedInShort) {
  auto host = rendezvous_options(rendezvous_name("many"), 0, 40);
  host.deadline = 1ms;
  const Log log = quiet_log();
  EXPECT_THAT(rendezvous(host, log).error().message(),
              HasSubstr("nodes 1, 2, 3, 4, 5, 6, 7, 8, ... (39 in all) did not register"));
}

}  // namespace
}  // namespace godwit
