// net/socket_address_test.cc: the forms of an address, and what is refused.
#include "net/socket_address.h"

#include <gtest/gtest.h>

#include <string>

namespace godwit {
namespace {

TEST(SocketAddress, ReadsBackWhatItWrites) {
  for (const std::string text :
       {"127.0.0.1:7077", "[::1]:80", "unix:/tmp/x.sock", "unix:@godwit/job/0/1", "0.0.0.0:0"}) {
    const auto address = SocketAddress::parse(text);
    ASSERT_TRUE(address.ok()) << text << ": " << address.error().message();
    EXPECT_EQ(address->to_string(), text);
  }
}

TEST(SocketAddress, KnowsItsParts) {
  const auto tcp = SocketAddress::parse("127.0.0.1:7077").value();
  EXPECT_EQ(tcp.host(), "127.0.0.1");
  EXPECT_EQ(tcp.port(), 7077);
  EXPECT_EQ(tcp.path(), "");
  EXPECT_FALSE(tcp.is_unix());
  EXPECT_FALSE(tcp.is_wildcard());
  EXPECT_TRUE(SocketAddress::parse("[::]:1").value().is_wildcard());
  const auto file = SocketAddress::parse("unix:/tmp/x").value();
  EXPECT_TRUE(file.is_unix());
  EXPECT_EQ(file.path(), "/tmp/x");
  EXPECT_EQ(SocketAddress::parse("unix:@x").value().path(), "");
}

TEST(SocketAddress, RefusesWhatIsMalformed) {
  for (const std::string text : {"", "127.0.0.1", ":7077", "host:", "host:70777", "host:7x",
                                 "host:-1", "::1:80", "unix:", "unix:@"}) {
    const auto address = SocketAddress::parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code(), ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(SocketAddress::tcp("localhost", 1).ok());
}

TEST(SocketAddress, AUnixNameHasAtMost107Bytes) {
  EXPECT_TRUE(SocketAddress::unix_path("/" + std::string(106, 'x')).ok());
  EXPECT_FALSE(SocketAddress::unix_path("/" + std::string(107, 'x')).ok());
  const std::string name(107, 'x');
  EXPECT_EQ(SocketAddress::unix_abstract(name).value().to_string(), "unix:@" + name);
  EXPECT_FALSE(SocketAddress::unix_abstract(name + "x").ok());
}

TEST(SocketAddress, LocalhostIsLookedUpAndListenedAtAsItIs) {
  const auto address = SocketAddress::parse_to_listen("localhost:5");
  ASSERT_TRUE(address.ok()) << address.error().message();
  EXPECT_FALSE(address->is_wildcard());
  EXPECT_EQ(SocketAddress::parse_to_listen("127.0.0.2:5").value().host(), "127.0.0.2");
  EXPECT_EQ(SocketAddress::parse_to_listen("unix:@a").value().to_string(), "unix:@a");
}

TEST(SocketAddress, ASocketThatIsNotConnectedHasNoRemoteAddress) {
  EXPECT_FALSE(SocketAddress::remote_of(-1).ok());
  EXPECT_FALSE(SocketAddress::local_of(-1).ok());
}

}  // namespace
}  // namespace godwit
