// net/sockets_test.cc: listening, connecting, and what the system says when it goes wrong.
#include "net/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>

#include "net/transport_fixture.h"

namespace godwit {
namespace {

using ::testing::HasSubstr;

void wait_writable(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  ASSERT_EQ(::poll(&waiting, 1, 30000), 1);
}

TEST(Sockets, ConnectOverTcpAndOverUnix) {
  for (const std::string& text : {std::string("127.0.0.1:0"), "unix:@" + own_name("sockets")}) {
    const UniqueFd listening = listen_at(SocketAddress::parse(text).value()).value();
    const auto address = SocketAddress::local_of(listening.fd()).value();
    const auto connecting = begin_connect(address);
    ASSERT_TRUE(connecting.ok()) << connecting.error().message();
    wait_writable(connecting->fd());
    EXPECT_EQ(connect_error(connecting->fd()), 0);
    tune_for_frames(connecting->fd());
    EXPECT_EQ(SocketAddress::remote_of(connecting->fd()).value().to_string(), address.to_string());
  }
}

TEST(Sockets, APortInUseIsNamed) {
  const UniqueFd first = listen_at(SocketAddress::parse("127.0.0.1:0").value()).value();
  const auto address = SocketAddress::local_of(first.fd()).value();
  const auto second = listen_at(address);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(second.error().message(),
              HasSubstr("port " + std::to_string(address.port()) + " of 127.0.0.1 is in use"));
}

TEST(Sockets, ASocketFileThatNobodyListensAtIsReplaced) {
  const std::string path = ::testing::TempDir() + own_name("stale");
  const auto address = SocketAddress::unix_path(path).value();
  { const auto killed = listen_at(address); }  // closed, the file stays
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  const auto again = listen_at(address);
  EXPECT_TRUE(again.ok()) << again.error().message();
  const auto third = listen_at(address);
  EXPECT_FALSE(third.ok());  // that one is alive
  ::unlink(path.c_str());
}

TEST(Sockets, NobodyThereIsARefusedConnection) {
  EXPECT_THAT(begin_connect(SocketAddress::parse("unix:@godwit-nobody").value()).error().message(),
              HasSubstr("connection refused"));
  EXPECT_THAT(begin_connect(SocketAddress::parse("unix:/nowhere/x").value()).error().message(),
              HasSubstr("no such file"));
}

TEST(Sockets, SendingToAClosedSocketIsAnErrorAndNoSignal) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  const UniqueFd ours(fds[0]);
  ::close(fds[1]);
  char byte = 'x';
  const iovec part{&byte, 1};
  EXPECT_EQ(send_some(ours.fd(), {&part, 1}), -EPIPE);
  EXPECT_EQ(receive_some(ours.fd(), {&part, 1}), 0);
}

TEST(Sockets, AnEmptySocketSaysAgain) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  const UniqueFd ours(fds[0]);
  const UniqueFd theirs(fds[1]);
  char bytes[4] = {};
  const iovec part{bytes, 4};
  EXPECT_EQ(receive_some(ours.fd(), {&part, 1}), -EAGAIN);
  EXPECT_TRUE(send_whole(theirs.fd(), std::as_bytes(std::span(bytes))));
  EXPECT_EQ(receive_some(ours.fd(), {&part, 1}), 4);
  EXPECT_TRUE(send_whole(theirs.fd(), {}));
}

}  // namespace
}  // namespace godwit
