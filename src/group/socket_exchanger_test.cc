// group/socket_exchanger_test.cc: two ranks at the ends of one connection.
#include "group/socket_exchanger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <ctime>
#include <future>
#include <thread>
#include <vector>

#include "base/errors.h"
#include "net/sockets.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class SocketPair : public testing::Test {
 protected:
  SocketPair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<UniqueFd> sockets(2);
      sockets[1U - static_cast<unsigned>(rank)] = UniqueFd(ends[rank]);
      ranks_[rank] = make_socket_exchanger(
          rank, std::move(sockets),
          [](Time) -> Result<std::unique_ptr<Exchanger>> { return aborted("nobody is left"); });
    }
  }

  Time in(Duration time) const { return time_.now() + time; }
  Result<> send(int rank, std::span<const std::byte> bytes, Duration patience = seconds(20)) {
    auto begun = ranks_[rank]->send(1 - rank, bytes);
    return begun.ok() ? ranks_[rank]->wait(*begun, in(patience)) : Result<>(begun.error());
  }
  Result<> receive(int rank, std::span<std::byte> bytes, Duration patience = seconds(20)) {
    auto begun = ranks_[rank]->receive(1 - rank, bytes);
    return begun.ok() ? ranks_[rank]->wait(*begun, in(patience)) : Result<>(begun.error());
  }

  const RealTime time_;
  std::unique_ptr<Exchanger> ranks_[2];
};

std::vector<std::byte> numbered(std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
  return bytes;
}

TEST_F(SocketPair, MessagesOfAllLengthsComeInOrder) {
  const auto rank = [this](int self) {
    std::vector<Exchanger::Transfer> begun;
    std::vector<std::vector<std::byte>> got;
    std::vector<std::vector<std::byte>> sent;
    // More at once than a call of the system takes; long ones in both directions.
    for (const std::size_t length : {1, 32, 257, 5'000'000, 8, 3'000'000, 2, 100'000}) {
      got.emplace_back(length);
      sent.push_back(numbered(length));
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
      begun.push_back(ranks_[self]->receive(1 - self, got[i]).value());
      begun.push_back(ranks_[self]->send(1 - self, sent[i]).value());
    }
    for (const auto transfer : begun) ranks_[self]->wait(transfer, in(seconds(60))).value();
    EXPECT_EQ(got, sent);
  };
  std::jthread other([&] { rank(1); });
  rank(0);
}

TEST_F(SocketPair, PokingMovesWhatNobodyWaitsFor) {
  const auto sent = numbered(100);
  const auto sending = ranks_[0]->send(1, sent).value();
  ranks_[0]->poke();
  std::vector<std::byte> got(sent.size());
  receive(1, got).value();
  EXPECT_EQ(got, sent);
  ranks_[0]->wait(sending, in(seconds(1))).value();
}

// A library that writes to a closed socket without care ends its process here.
TEST_F(SocketPair, WhoSendsToARankThatIsGoneIsToldAndLives) {
  ranks_[1].reset();
  const auto bytes = numbered(100'000);
  for (int i = 0; i < 3; ++i) {
    const auto done = send(0, bytes);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(done.error().message(), HasSubstr("rank 1 is gone"));
  }
}

TEST_F(SocketPair, WhatARankSentBeforeItGaveUpIsStillRead) {
  const auto sent = numbered(1000);
  send(0, sent).value();
  ranks_[0]->abandon(aborted("enough"));
  std::vector<std::byte> got(sent.size());
  // Even by who finds out first that nothing can be sent any more.
  const auto receiving = ranks_[1]->receive(0, got).value();
  static_cast<void>(ranks_[1]->send(0, sent));
  ranks_[1]->wait(receiving, in(seconds(20))).value();
  EXPECT_EQ(got, sent);
  const auto more = receive(1, got);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code(), ErrorCode::kUnavailable);
}

TEST_F(SocketPair, WhoOnlySendsNoticesThatTheOtherGaveUp) {
  ranks_[1]->abandon(aborted("enough"));
  const auto bytes = numbered(50'000'000);  // more than the system takes
  const auto done = send(0, bytes, seconds(60));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kUnavailable) << done.error().message();
}

TEST_F(SocketPair, AMessageOfAnotherLengthIsAnError) {
  const auto sent = numbered(1000);
  send(0, sent).value();
  send(0, sent).value();
  std::vector<std::byte> got(1500);
  const auto done = receive(1, got);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kAborted);
  EXPECT_THAT(done.error().message(), HasSubstr("sent 1000 bytes where 1500 are meant"));
}

TEST_F(SocketPair, AnErrorThatIsNoticedByPokingIsToldToWhoWaits) {
  send(0, numbered(1000)).value();
  std::vector<std::byte> got(1500);
  const auto receiving = ranks_[1]->receive(0, got).value();
  ranks_[1]->poke();
  const auto done = ranks_[1]->wait(receiving, in(seconds(20)));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kAborted);
}

TEST_F(SocketPair, WhoIsWaitedForInVainIsNamed) {
  std::vector<std::byte> bytes(50'000'000);
  const auto received = receive(0, bytes, milliseconds(50));
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(received.error().message(), HasSubstr("rank 1 does not send"));
  const auto sent = send(1, bytes, milliseconds(50));
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(sent.error().message(), HasSubstr("rank 0 does not receive"));
}

TEST_F(SocketPair, WaitingTakesNoProcessor) {
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  std::vector<std::byte> bytes(10);
  const double before = used();
  EXPECT_FALSE(receive(0, bytes, milliseconds(500)).ok());
  EXPECT_LT(used() - before, 0.05);
}

TEST_F(SocketPair, ASmallerOneIsMadeOnceTheOthersCanSee) {
  const auto smaller = ranks_[0]->shrink(in(seconds(1)));
  ASSERT_FALSE(smaller.ok());
  EXPECT_THAT(smaller.error().message(), HasSubstr("nobody is left"));
  std::vector<std::byte> got(1);
  EXPECT_EQ(receive(1, got).error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(receive(0, got).error().code(), ErrorCode::kUnavailable);
}

// Rank 0 of two, at this end of a connection.
std::unique_ptr<Exchanger> rank_0_at(UniqueFd socket) {
  std::vector<UniqueFd> sockets(2);
  sockets[1] = std::move(socket);
  return make_socket_exchanger(0, std::move(sockets), nullptr);
}

TEST(SocketDeadline, HoldsForAPeerThatSendsAByteNowAndThen) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd peer(ends[1]);
  const auto rank = rank_0_at(UniqueFd(ends[0]));
  std::vector<std::byte> bytes(50'000'000);
  const std::uint64_t length = bytes.size();
  ASSERT_TRUE(send_whole(peer.fd(), std::as_bytes(std::span(&length, 1))));
  std::atomic<bool> is_over = false;
  std::jthread sender([&] {
    while (!is_over) {
      const std::byte one{};
      static_cast<void>(send_whole(peer.fd(), std::span(&one, 1)));
      std::this_thread::yield();
    }
  });
  const RealTime time;
  const Time begin = time.now();
  const auto done = rank->wait(rank->receive(1, bytes).value(), begin + milliseconds(300));
  const Duration took = time.now() - begin;
  is_over = true;
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(done.error().message(), HasSubstr("rank 1 does not send"));
  EXPECT_GE(took, milliseconds(300));
  EXPECT_LT(took, seconds(10));
}

struct TcpPair {
  TcpPair() {
    const auto door = listen_at(SocketAddress::parse_to_listen("127.0.0.1:0").value()).value();
    ours = begin_connect(SocketAddress::local_of(door.fd()).value()).value();
    pollfd wait{door.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 20'000), 1);
    theirs = UniqueFd(::accept4(door.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  }
  UniqueFd ours;
  UniqueFd theirs;
};

// The system has something to tell of such a socket that nobody asks for (when a byte was sent): it
// is ready for ever. A peer can do the same by sending at the right moments.
TEST(SocketDeadline, HoldsForASocketThatIsAlwaysReady) {
  TcpPair pair;
  const int notes = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  const int fd = pair.ours.fd();
  ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &notes, sizeof notes), 0);
  const std::byte one{};
  ASSERT_TRUE(send_whole(fd, std::span(&one, 1)));
  pollfd wait{fd, POLLIN, 0};
  if (::poll(&wait, 1, 1000) != 1) GTEST_SKIP() << "this system does not tell when bytes are sent";
  const auto rank = rank_0_at(std::move(pair.ours));
  // Whoever waits for ever is let go.
  std::promise<void> over;
  std::jthread rescuer([&pair, end = over.get_future()] {
    const bool hangs = end.wait_for(seconds(10)) == std::future_status::timeout;
    if (hangs) ::shutdown(pair.theirs.fd(), SHUT_RDWR);
  });
  std::vector<std::byte> bytes(10);
  const RealTime time;
  const auto done = rank->wait(rank->receive(1, bytes).value(), time.now() + milliseconds(100));
  over.set_value();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kTimeout) << done.error().message();
}

}  // namespace
}  // namespace godwit
