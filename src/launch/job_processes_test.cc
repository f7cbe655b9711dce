// launch/job_processes_test.cc: processes that hide in groups and sessions of their own.
#include "launch/job_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "launch/child_process.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const RealTime kTime;

std::vector<std::string> names(const std::vector<ProcessEntry>& processes) {
  std::vector<std::string> found;
  for (const ProcessEntry& process : processes) found.push_back(process.name);
  return found;
}

// A shell that does `script`, and has done it once its output ends or has a line.
ChildProcess started(const std::string& script, Environment environment) {
  environment["PATH"] = "/usr/bin:/bin";
  auto child = ChildProcess::spawn("/bin/sh", {"sh", "-c", script}, environment,
                                   ChildOutput::kPipes, ChildLeads::kSession)
                   .value();
  pollfd polled{child.out().fd(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 20'000), 1);
  return child;
}

class JobProcessesTest : public testing::Test {
 protected:
  ~JobProcessesTest() override { kill_processes({.job = job_}, {}, kTime); }

  const std::string job_ = random_hex(8);
};

TEST_F(JobProcessesTest, VariablesTellTheJobAndTheGroup) {
  const auto first = started("echo; exec sleep 100", {{"GODWIT_JOB", job_}, {"GODWIT_GROUP", "1"}});
  const auto second =
      started("setsid sleep 101 & echo; wait", {{"GODWIT_JOB", job_}, {"GODWIT_GROUP", "2"}});
  const auto other = started("echo; exec sleep 102", {{"GODWIT_JOB", job_ + "x"}});
  EXPECT_THAT(find_processes({.job = job_}), SizeIs(3));
  EXPECT_THAT(names(find_processes({.job = job_, .group = 1})), ElementsAre("sleep"));
  EXPECT_THAT(find_processes({.job = job_, .group = 2}), SizeIs(2));
  EXPECT_THAT(find_processes({.job = job_, .group = 12}), IsEmpty());
  kill_processes({.job = job_, .group = 2}, {}, kTime);
  EXPECT_THAT(find_processes({.job = job_}), SizeIs(1));
  kill_processes({.job = job_}, {}, kTime);
  EXPECT_THAT(find_processes({.job = job_}), IsEmpty());
  EXPECT_THAT(find_processes({.job = job_ + "x"}), SizeIs(1));
}

TEST_F(JobProcessesTest, ASessionAlsoHasThoseWhoForgotTheirVariables) {
  const auto child = started("env -i /bin/sh -c 'echo; exec sleep 100' & wait", {});
  const JobProcesses wanted{.sessions = {child.pid()}};
  EXPECT_THAT(find_processes(wanted), SizeIs(2));
  kill_processes(wanted, {}, kTime);
  EXPECT_THAT(find_processes(wanted), IsEmpty());
}

TEST_F(JobProcessesTest, RanksAreWhomMpiGaveANumber) {
  const auto child =
      started("OMPI_COMM_WORLD_RANK=1 sleep 100 & echo; wait", {{"GODWIT_JOB", job_}});
  // The shell's child is a shell until it is a sleep, and nobody for a moment in between.
  const std::vector<std::string> wanted{"sleep"};
  for (int i = 0; i < 10'000 && names(find_ranks({.job = job_})) != wanted; ++i) {
    poll(nullptr, 0, 1);
  }
  EXPECT_EQ(names(find_ranks({.job = job_})), wanted);
  EXPECT_THAT(find_processes({.job = job_}), SizeIs(2));
}

TEST_F(JobProcessesTest, WhoEndsWithinThePatienceIsNotKilled) {
  auto child = started("echo; sleep 0.2; exit 7", {{"GODWIT_JOB", job_}});
  kill_processes({.job = job_}, std::chrono::seconds(20), kTime);
  EXPECT_EQ(child.status(), (ExitStatus{.code = 7}));
}

TEST_F(JobProcessesTest, StoppedProcessesAreKilledToo) {
  auto child = started("echo; kill -STOP $$", {{"GODWIT_JOB", job_}});
  kill_processes({.job = job_}, {}, kTime);
  EXPECT_EQ(child.status(), (ExitStatus{.signal = 9}));
}

}  // namespace
}  // namespace godwit
