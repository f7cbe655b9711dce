// net/peer_user_test.cc: what the kernel says of the other end.
#include "net/peer_user.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace godwit {
namespace {

TEST(PeerUser, IsKnownOfAUnixSocket) {
  int ends[2] = {};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd one(ends[0]);
  const UniqueFd other(ends[1]);
  EXPECT_EQ(peer_user(one.fd()), static_cast<std::int64_t>(::geteuid()));
  EXPECT_TRUE(may_ask(one.fd()));
}

TEST(PeerUser, IsNotKnownOfAnythingElse) {
  const UniqueFd tcp(::socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(peer_user(tcp.fd()), std::nullopt);
  EXPECT_FALSE(may_ask(tcp.fd()));
  EXPECT_FALSE(may_ask(-1));
}

}  // namespace
}  // namespace godwit
