// launch/orphans_test.cc: a grandchild whose parent ends.
#include "launch/orphans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <unistd.h>

#include <algorithm>

#include "launch/child_process.h"

namespace godwit {
namespace {

using testing::IsEmpty;

ChildProcess shell(const std::string& script) {
  return ChildProcess::spawn("/bin/sh", {"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}).value();
}

void wait_for_end(ChildProcess& child) {
  pollfd polled{child.pid_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 20'000), 1);
}

TEST(Orphans, ComeToThisProcessAndAreReaped) {
  const ChildProcess before = shell("exec sleep 100");
  Orphans orphans;
  ChildProcess known = shell("exec sleep 100");
  orphans.know(known.pid());
  ChildProcess parent = shell("setsid sleep 100 & exit 0");
  orphans.know(parent.pid());
  wait_for_end(parent);
  std::vector<ProcessEntry> found;
  for (int i = 0; i < 2000 && found.empty(); ++i) found = orphans.take();
  ASSERT_EQ(found.size(), 1);
  kill(static_cast<pid_t>(found[0].pid), SIGKILL);
  // Ended, it stays a child until it is reaped.
  const auto is_child = [&] {
    const auto children = children_of(getpid());
    return std::any_of(children.begin(), children.end(),
                       [&](const ProcessEntry& child) { return child.pid == found[0].pid; });
  };
  for (int i = 0; i < 2000 && is_child(); ++i) {
    EXPECT_TRUE(orphans.take().empty() || i < 1000);
    poll(nullptr, 0, 1);
  }
  EXPECT_FALSE(is_child());
  EXPECT_THAT(orphans.take(), IsEmpty());
  EXPECT_EQ(known.status(), std::nullopt);
}

TEST(Orphans, GoElsewhereAfterwards) {
  { const Orphans orphans; }
  ChildProcess parent = shell("setsid sleep 0.1 & exit 0");
  wait_for_end(parent);
  const auto children = children_of(getpid());
  ASSERT_EQ(children.size(), 1);
  EXPECT_EQ(children[0].pid, parent.pid());
}

}  // namespace
}  // namespace godwit
