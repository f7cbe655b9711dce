// net/rendezvous_test.cc: all find each other, or all learn why not.
#include "net/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "net/rendezvous_fixture.h"
#include "net/sockets.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A TCP port that was free a moment ago.
std::string free_address() {
  const UniqueFd socket = listen_at(SocketAddress::tcp("127.0.0.1", 0).value()).value();
  return SocketAddress::local_of(socket.fd()).value().to_string();
}

TEST(Rendezvous, AllNodesGetTheSameList) {
  const std::string path = "unix:" + ::testing::TempDir() + own_name("rendezvous");
  for (const std::string& address : {free_address(), rendezvous_name("all"), path}) {
    std::vector<RendezvousOptions> all;
    for (int node = 4; node >= 0; --node) all.push_back(rendezvous_options(address, node, 5));
    const auto results = meet(all);
    for (const PeersResult& result : results) {
      ASSERT_TRUE(result.ok()) << address << ": " << result.error().message();
      ASSERT_EQ(result->size(), 5U);
      for (std::size_t i = 0; i < 5; ++i) {
        const Peer& peer = (*result)[i];
        EXPECT_EQ(peer.node.value(), static_cast<std::int64_t>(i));
        EXPECT_EQ(peer.incarnation.value(), static_cast<std::int64_t>(100 + i));
        EXPECT_EQ(peer.endpoint.tcp_port, 1000 + i);
      }
    }
  }
  struct stat status {};
  EXPECT_NE(::stat(path.substr(5).c_str(), &status), 0);  // nothing is left behind
}

TEST(Rendezvous, OneNodeIsAloneAtOnce) {
  const Log log = quiet_log();
  const auto result = rendezvous(rendezvous_options("not looked at", 0, 1), log);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->size(), 1U);
}

TEST(Rendezvous, NodeZeroMayComeLater) {
  const std::string address = rendezvous_name("later");
  const Log log = quiet_log();
  std::optional<PeersResult> first;
  std::jthread early([&] { first = rendezvous(rendezvous_options(address, 1, 2), log); });
  // Long enough for some attempts; nothing depends on how many.
  const auto loop = EventLoop::make().value();
  loop->run_until(loop->now() + 50ms, [] { return false; });
  EXPECT_TRUE(rendezvous(rendezvous_options(address, 0, 2), log).ok());
  early.join();
  EXPECT_TRUE(first->ok());
}

TEST(Rendezvous, MissingNodesAreNamedEverywhere) {
  const std::string address = free_address();
  auto host = rendezvous_options(address, 0, 4);
  auto guest = rendezvous_options(address, 3, 4);
  host.deadline = 1s;
  for (const PeersResult& result : meet({host, guest})) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(result.error().message(),
              "nodes 1 and 2 did not register at " + address + " within 1 s");
  }
}

TEST(Rendezvous, AGuestWhoseDeadlineComesFirstNamesThemToo) {
  const std::string address = rendezvous_name("guest-first");
  auto host = rendezvous_options(address, 0, 3);
  auto guest = rendezvous_options(address, 1, 3);
  guest.deadline = 1s;
  host.deadline = 2500ms;
  const auto results = meet({host, guest});
  EXPECT_EQ(results[1].error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(results[1].error().message(), "node 2 did not register at " + address + " within 1 s");
  // It is gone, so it is missing as well by then.
  EXPECT_THAT(results[0].error().message(), HasSubstr("nodes 1 and 2 did not register"));
}

TEST(Rendezvous, NobodyAtTheAddressIsNamedWithTheReason) {
  const std::string address = free_address();
  auto options = rendezvous_options(address, 1, 2);
  options.deadline = 100ms;
  const Log log = quiet_log();
  const auto result = rendezvous(options, log);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(result.error().message(), "cannot reach the rendezvous at " + address +
                                          ": connecting to node 0 at " + address +
                                          ": connection refused; retried for 100 ms");
}

TEST(Rendezvous, APortInUseIsNamed) {
  const UniqueFd other = listen_at(SocketAddress::tcp("127.0.0.1", 0).value()).value();
  const auto address = SocketAddress::local_of(other.fd()).value();
  const Log log = quiet_log();
  const auto result = rendezvous(rendezvous_options(address.to_string(), 0, 2), log);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.error().message(),
              HasSubstr("port " + std::to_string(address.port()) + " of 127.0.0.1 is in use"));
}

TEST(Rendezvous, AnotherTokenOrJobIsTold) {
  const std::string address = rendezvous_name("token");
  for (const bool token : {true, false}) {
    auto host = rendezvous_options(address, 0, 2);
    auto guest = rendezvous_options(address, 1, 2);
    host.deadline = 1s;
    (token ? guest.job.token : guest.job.id) = "other";
    const auto results = meet({host, guest});
    ASSERT_FALSE(results[1].ok());
    EXPECT_EQ(results[1].error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(results[1].error().message(),
                HasSubstr(token ? "different tokens" : "of job 'other'"));
    EXPECT_EQ(results[0].error().code(), ErrorCode::kTimeout);
  }
}

TEST(Rendezvous, ADifferentNumberOfNodesIsToldToAll) {
  const std::string address = rendezvous_name("numbers");
  auto bystander = rendezvous_options(address, 1, 3);
  bystander.deadline = 2s;  // it may come when the others have gone already
  const auto results =
      meet({rendezvous_options(address, 0, 3), bystander, rendezvous_options(address, 2, 4)});
  EXPECT_EQ(results[0].error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(results[2].error().code(), ErrorCode::kInvalidArgument);
  const std::string text = "node 2 was started as one of 4 nodes, node 0 as one of 3";
  EXPECT_EQ(results[0].error().message(), text);
  EXPECT_EQ(results[2].error().message(), text);
}

TEST(Rendezvous, WildcardAddressesAreReplacedByTheOnesInUse) {
  const std::string address = free_address();
  auto host = rendezvous_options(address, 0, 2);
  auto guest = rendezvous_options(address, 1, 2);
  host.endpoint.tcp_host = "0.0.0.0";
  guest.endpoint.tcp_host = "0.0.0.0";
  const auto results = meet({host, guest});
  ASSERT_TRUE(results[0].ok() && results[1].ok());
  EXPECT_EQ((*results[0])[1].endpoint.tcp_host, "127.0.0.1");
  EXPECT_EQ((*results[1])[0].endpoint.tcp_host, "127.0.0.1");
}

TEST(Rendezvous, BadOptionsAreRefused) {
  const Log log = quiet_log();
  const auto code_of = [&](const std::function<void(RendezvousOptions&)>& change) {
    auto options = rendezvous_options(rendezvous_name("bad"), 1, 2);
    change(options);
    return rendezvous(options, log).error().code();
  };
  EXPECT_EQ(code_of([](auto& o) { o.nodes = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](auto& o) { o.self = NodeId(2); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](auto& o) { o.self = NodeId(-1); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](auto& o) { o.incarnation = Incarnation(); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](auto& o) { o.job.token = ""; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](auto& o) { o.address = "nonsense"; }), ErrorCode::kInvalidArgument);
}

TEST(Rendezvous, WhoDoesNotSpeakTheProtocolIsFoundOut) {
  const auto address = SocketAddress::parse(rendezvous_name("foreign")).value();
  const UniqueFd listening = listen_at(address).value();
  std::jthread foreign([&] {
    for (;;) {
      const UniqueFd socket(::accept(listening.fd(), nullptr, nullptr));
      if (!socket.is_open()) continue;
      EXPECT_GT(::write(socket.fd(), "220 mail.example ready\r\n", 24), 0);
      std::byte bytes[1024];
      EXPECT_GT(::read(socket.fd(), bytes, sizeof bytes), 0);
      return;
    }
  });
  const Log log = quiet_log();
  const auto result = rendezvous(rendezvous_options(address.to_string(), 1, 2), log);
  EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(result.error().message(), HasSubstr("does not speak this protocol"));
}

}  // namespace
}  // namespace godwit
