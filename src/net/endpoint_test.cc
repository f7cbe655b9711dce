// net/endpoint_test.cc: which ways are tried, and that names are unique.
#include "net/endpoint.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(Endpoint, OnOneMachineTheUnixSocketIsTriedFirst) {
  const Endpoint endpoint{"boot-a", "godwit/x", "127.0.0.1", 80};
  const auto near = ways_to(endpoint, "boot-a").value();
  ASSERT_EQ(near.size(), 2U);
  EXPECT_EQ(near[0].to_string(), "unix:@godwit/x");
  EXPECT_EQ(near[1].to_string(), "127.0.0.1:80");
  const auto far = ways_to(endpoint, "boot-b").value();
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far[0].to_string(), "127.0.0.1:80");
}

TEST(Endpoint, MalformedAddressesAreRefused) {
  EXPECT_FALSE(ways_to({"a", "", "not-an-address", 80}, "a").ok());
  EXPECT_FALSE(ways_to({"a", std::string(200, 'x'), "", 0}, "a").ok());
  EXPECT_TRUE(ways_to({"a", "", "", 0}, "a").value().empty());
}

TEST(Endpoint, TextNamesAllWays) {
  EXPECT_EQ(to_string(Endpoint{"a", "n", "10.0.0.1", 7}), "unix:@n or 10.0.0.1:7");
  EXPECT_EQ(to_string(Endpoint{"a", "", "::1", 7}), "[::1]:7");
  EXPECT_EQ(to_string(Endpoint{}), "nowhere");
}

TEST(Endpoint, TheMachineHasAnIdentityThatStays) {
  EXPECT_FALSE(host_identity().empty());
  EXPECT_EQ(host_identity(), host_identity());
}

TEST(Endpoint, SocketNamesDifferByJobNodeAndIncarnation) {
  const std::string name = unix_name_of("job", NodeId(1), Incarnation(0x10));
  EXPECT_EQ(name, "godwit/job/1/10");
  EXPECT_NE(name, unix_name_of("job2", NodeId(1), Incarnation(0x10)));
  EXPECT_NE(name, unix_name_of("job", NodeId(2), Incarnation(0x10)));
  EXPECT_NE(name, unix_name_of("job", NodeId(1), Incarnation(0x11)));
  // The longest job id, a large node id and any incarnation still make a legal name.
  EXPECT_TRUE(SocketAddress::unix_abstract(
                  unix_name_of(std::string(64, 'j'), NodeId(1048575), Incarnation(-1)))
                  .ok());
}

}  // namespace
}  // namespace godwit
