// group/host_segment_test.cc: memory of this process, and of one that is killed.
#include "group/host_segment.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

namespace godwit {
namespace {

TEST(HostSegment, WhoOpensItSeesWhatWasWritten) {
  const HostSegment made = HostSegment::make(100'000).value();
  const HostSegment opened = HostSegment::open(made.name(), 100'000).value();
  EXPECT_EQ(made.data()[99'999], std::byte{0});
  made.data()[99'999] = std::byte{7};
  EXPECT_EQ(opened.data()[99'999], std::byte{7});
}

TEST(HostSegment, WithoutItsNameNobodyCanOpenIt) {
  HostSegment made = HostSegment::make(4096).value();
  const HostSegment opened = HostSegment::open(made.name(), 4096).value();
  made.forget_name();
  EXPECT_FALSE(HostSegment::open(made.name(), 4096).ok());
  made.data()[0] = std::byte{1};
  EXPECT_EQ(opened.data()[0], std::byte{1});
}

TEST(HostSegment, AnotherLengthIsRefused) {
  const HostSegment made = HostSegment::make(4096).value();
  EXPECT_FALSE(HostSegment::open(made.name(), 8192).ok());
}

TEST(HostSegment, MoreThanTheHostHasIsAnError) {
  EXPECT_FALSE(HostSegment::make(std::size_t{1} << 60).ok());
}

TEST(HostSegment, IsAbandonedWhenItsMakerIsGone) {
  std::optional<HostSegment> made = HostSegment::make(4096).value();
  const HostSegment opened = HostSegment::open(made->name(), 4096).value();
  EXPECT_FALSE(opened.is_abandoned());
  made.reset();
  EXPECT_TRUE(opened.is_abandoned());
}

TEST(HostSegment, IsAbandonedWhenItsMakerIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t maker = ::fork();
  if (maker == 0) {
    const HostSegment made = HostSegment::make(4096).value();
    char name[128] = {};
    made.name().copy(name, sizeof name - 1);
    if (::write(ends[1], name, sizeof name) == sizeof name) ::pause();
    ::_exit(1);
  }
  char name[128] = {};
  ASSERT_EQ(::read(ends[0], name, sizeof name), static_cast<ssize_t>(sizeof name));
  const HostSegment opened = HostSegment::open(name, 4096).value();
  EXPECT_FALSE(opened.is_abandoned());
  ::kill(maker, SIGKILL);
  // Not waited for as a parent does: a process that nobody has buried is gone all the same.
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(maker), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(opened.is_abandoned());
  ::waitpid(maker, nullptr, 0);
  ::shm_unlink(name);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace godwit
