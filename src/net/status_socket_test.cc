// net/status_socket_test.cc: names, and the list of them that the kernel prints.
#include "net/status_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/sockets.h"

namespace godwit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const StatusSocket kSocket{.user = 1000, .pid = 4711, .node = NodeId{2}, .job = "a.b-c_1"};

std::string line_of(const std::string& path, const std::string& flags = "00010000") {
  return "0000000000000000: 00000002 00000000 " + flags + " 0001 01 12345 " + path + "\n";
}

TEST(StatusSocket, NamesSayWhatTheyAreOf) {
  EXPECT_EQ(kSocket.name(), "godwit-status/1000/4711/2/a.b-c_1");
  EXPECT_THAT(parse_status_sockets(line_of("@" + kSocket.name())), ElementsAre(kSocket));
}

TEST(StatusSocket, AnyJobFitsIntoAName) {
  StatusSocket socket = kSocket;
  for (const std::string& job :
       {std::string(), std::string("a b/\n\xff"), std::string(5000, 'x')}) {
    socket.job = job;
    EXPECT_LE(socket.name().size(), 107u);
    EXPECT_EQ(parse_status_sockets(line_of("@" + socket.name())).at(0).name(), socket.name());
    EXPECT_EQ(socket.address().to_string(), "unix:@" + socket.name());
  }
}

TEST(StatusSocket, OnlyThoseWhoListenAreListed) {
  const std::string connected = line_of("@" + kSocket.name(), "00000000");
  for (const std::string& table :
       {std::string("Num       RefCount Protocol Flags    Type St Inode Path\n"), connected,
        line_of(""), line_of("/run/x"), line_of("@godwit-status/"),
        line_of("@godwit-status/1/2/x/job"), line_of("@godwit-status/1/2/3/"), std::string("\n\n"),
        std::string("garbage")}) {
    EXPECT_THAT(parse_status_sockets(table), IsEmpty()) << table;
  }
}

TEST(StatusSocket, TheListIsSorted) {
  StatusSocket other = kSocket;
  other.node = NodeId{10};
  EXPECT_THAT(parse_status_sockets(line_of("@" + other.name()) + line_of("@" + kSocket.name())),
              ElementsAre(kSocket, other));
}

TEST(StatusSocket, TheKernelListsWhatIsOpen) {
  StatusSocket own{.user = 5, .pid = ::getpid(), .node = NodeId{1}, .job = "listed"};
  {
    const UniqueFd listening = listen_at(own.address()).value();
    const UniqueFd connection = begin_connect(own.address()).value();
    EXPECT_THAT(list_status_sockets().value(), Contains(own).Times(1));
  }
  EXPECT_THAT(list_status_sockets().value(), Not(Contains(own)));
}

}  // namespace
}  // namespace godwit
