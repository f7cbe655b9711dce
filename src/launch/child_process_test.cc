// launch/child_process_test.cc: real processes: how they end, what they inherit, what is left.
#include "launch/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGTERM, kill
#include <sys/wait.h>

#include <array>

#include "launch/process_table.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Environment kEnvironment = {{"PATH", "/usr/bin:/bin"}, {"WHO", "child"}};

ChildProcess shell(const std::string& script) {
  return ChildProcess::spawn("/bin/sh", {"sh", "-c", script}, kEnvironment).value();
}

ExitStatus wait_for(ChildProcess& child) {
  pollfd entry{child.pid_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&entry, 1, 20'000), 1);
  return child.status().value_or(ExitStatus{-1, -1});
}

// Until the writers are gone.
std::string read_all(const UniqueFd& fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    pollfd entry{fd.fd(), POLLIN, 0};
    EXPECT_EQ(poll(&entry, 1, 20'000), 1);
    const ssize_t got = read(fd.fd(), buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

TEST(ChildProcess, EndsAreToldApart) {
  ChildProcess good = shell("exit 0");
  EXPECT_TRUE(wait_for(good).is_ok());
  ChildProcess bad = shell("exit 3");
  EXPECT_EQ(wait_for(bad), (ExitStatus{3, 0}));
  ChildProcess killed = shell("kill -9 $$");
  EXPECT_EQ(wait_for(killed), (ExitStatus{0, 9}));
  EXPECT_EQ(to_string(ExitStatus{3, 0}), "exited with code 3");
  EXPECT_THAT(to_string(ExitStatus{0, 9}), HasSubstr("signal 9 (Killed)"));
}

TEST(ChildProcess, OutputAndErrorsAreApartAndTheEnvironmentIsTheOneGiven) {
  ChildProcess child = shell("echo out; echo err >&2; env; cat");
  const std::string out = read_all(child.out());
  EXPECT_THAT(out, HasSubstr("out\n"));
  EXPECT_THAT(out, HasSubstr("WHO=child\n"));
  EXPECT_EQ(out.find("HOME="), std::string::npos);
  EXPECT_EQ(read_all(child.err()), "err\n");
  EXPECT_TRUE(wait_for(child).is_ok());  // cat found its input empty
}

TEST(ChildProcess, SignalsHaveTheirDefaultsWhateverTheParentDoes) {
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGTERM);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &some, &before);
  const auto handler = signal(SIGTERM, SIG_IGN);
  ChildProcess child = shell("echo ready; exec sleep 100");
  pollfd ready{child.out().fd(), POLLIN, 0};
  EXPECT_EQ(poll(&ready, 1, 20'000), 1);
  child.signal_group(SIGTERM);
  EXPECT_EQ(wait_for(child), (ExitStatus{0, SIGTERM}));
  signal(SIGTERM, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(ChildProcess, TheDestructorLeavesNothingOfTheGroup) {
  pid_t group = 0;
  {
    ChildProcess child = shell("sleep 100 & sleep 100 & echo ready; wait");
    pollfd ready{child.out().fd(), POLLIN, 0};
    EXPECT_EQ(poll(&ready, 1, 20'000), 1);
    group = child.pid();
    EXPECT_EQ(members_of({group}).size(), 3U);
    EXPECT_EQ(child.status(), std::nullopt);
  }
  // The grandchildren are dying; their parents, now someone else, reap them.
  for (int i = 0; i < 1000 && !members_of({group}).empty(); ++i) poll(nullptr, 0, 10);
  EXPECT_THAT(members_of({group}), IsEmpty());
}

TEST(ChildProcess, DiesWithTheProcessThatStartedIt) {
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe(fds.data()), 0);
  const UniqueFd reader(fds[0]);
  const UniqueFd writer(fds[1]);
  const pid_t parent = fork();
  if (parent == 0) {
    const ChildProcess child = shell("exec sleep 100");
    const pid_t group = child.pid();
    if (write(writer.fd(), &group, sizeof group) == sizeof group) raise(SIGKILL);
    _exit(1);
  }
  pid_t group = 0;
  ASSERT_EQ(read(reader.fd(), &group, sizeof group), static_cast<ssize_t>(sizeof group));
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  for (int i = 0; i < 1000 && !members_of({group}).empty(); ++i) poll(nullptr, 0, 10);
  EXPECT_THAT(members_of({group}), IsEmpty());
}

TEST(ChildProcess, WhatCannotBeExecutedIsAnError) {
  const auto missing = ChildProcess::spawn("/no/such/program", {"x"}, kEnvironment);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), HasSubstr("/no/such/program: No such file"));
  EXPECT_FALSE(ChildProcess::spawn("/etc/passwd", {"x"}, kEnvironment).ok());
}

TEST(FindCommand, LooksWhereAShellWouldLook) {
  EXPECT_EQ(*find_command("sh", {{"PATH", "/nowhere:/bin"}}), "/bin/sh");
  EXPECT_EQ(*find_command("/bin/sh", {}), "/bin/sh");
  EXPECT_THAT(find_command("no-such-command", {{"PATH", "/bin"}}).error().message(),
              HasSubstr("'no-such-command' not found in PATH (/bin)"));
  EXPECT_FALSE(find_command("/etc", {}).ok());
  EXPECT_FALSE(find_command("./nothing", {}).ok());
  EXPECT_FALSE(find_command("", {}).ok());
}

TEST(ChildProcess, LeadsASessionIfAsked) {
  const auto session_of = [](const ChildProcess& child) { return getsid(child.pid()); };
  const auto plain = ChildProcess::spawn("/bin/sleep", {"sleep", "100"}, kEnvironment).value();
  EXPECT_EQ(session_of(plain), getsid(0));
  const auto leader = ChildProcess::spawn("/bin/sleep", {"sleep", "100"}, kEnvironment,
                                          ChildOutput::kPipes, ChildLeads::kSession)
                          .value();
  EXPECT_EQ(session_of(leader), leader.pid());
  EXPECT_EQ(getpgid(leader.pid()), leader.pid());
}

}  // namespace
}  // namespace godwit
