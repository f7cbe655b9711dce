// launch/warden_test.cc: a launcher that dies without a word, played by a forked process.
#include "launch/warden.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "launch/child_process.h"
#include "launch/job_dir.h"
#include "launch/job_processes.h"
#include "launch/process_table.h"

namespace godwit {
namespace {

template <class Condition>
bool becomes_true(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    poll(nullptr, 0, 10);
  }
  return false;
}

TEST(Warden, KillsTheGroupsAndRemovesTheDirectoryOfAKilledLauncher) {
  const JobDir parent = JobDir::make("/tmp").value();
  const std::string dir = parent.path() + "/job";
  ASSERT_TRUE(std::filesystem::create_directory(dir));
  std::ofstream(dir + "/rendezvous") << "x";
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe(fds.data()), 0);
  const pid_t launcher = fork();
  if (launcher == 0) {
    Warden warden = Warden::start({.dirs = {dir}}).value();
    ChildProcess child =
        ChildProcess::spawn("/bin/sh", {"sh", "-c", "sleep 100 & sleep 100 & wait"}, {}).value();
    warden.watch(child.pid());
    const pid_t group = child.pid();
    while (members_of({group}).size() < 3) poll(nullptr, 0, 1);
    if (write(fds[1], &group, sizeof group) == sizeof group) raise(SIGKILL);
    _exit(1);
  }
  pid_t group = 0;
  ASSERT_EQ(read(fds[0], &group, sizeof group), static_cast<ssize_t>(sizeof group));
  int status = 0;
  ASSERT_EQ(waitpid(launcher, &status, 0), launcher);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(becomes_true([&] { return members_of({group}).empty(); }));
  EXPECT_TRUE(becomes_true([&] { return !std::filesystem::exists(dir); }));
  close(fds[0]);
  close(fds[1]);
}

TEST(Warden, LeavesAloneWhatWasForgotten) {
  ChildProcess child = ChildProcess::spawn("/bin/sh", {"sh", "-c", "exec sleep 100"}, {}).value();
  {
    Warden warden = Warden::start({}).value();
    warden.watch(child.pid());
    warden.forget(child.pid());
  }
  EXPECT_EQ(child.status(), std::nullopt);
  {
    Warden warden = Warden::start({}).value();
    warden.watch(child.pid());
  }
  EXPECT_TRUE(becomes_true([&] { return child.status().has_value(); }));
  EXPECT_EQ(child.status()->signal, SIGKILL);
}

TEST(Warden, KillsWhateverHasTheNameOfTheJob) {
  const std::string job = random_hex(8);
  const Environment environment = {{"PATH", "/usr/bin:/bin"}, {"GODWIT_JOB", job}};
  const auto child =
      ChildProcess::spawn("/bin/sh", {"sh", "-c", "setsid sleep 100 & wait"}, environment).value();
  ASSERT_TRUE(becomes_true([&] { return find_processes({.job = job}).size() == 2; }));
  { const Warden warden = Warden::start({.job = job}).value(); }
  EXPECT_TRUE(find_processes({.job = job}).empty());
}

}  // namespace
}  // namespace godwit
