// launch/group_launcher_test.cc: jobs whose groups have one rank each, played by small shell
// commands: no MPI is needed. Groups under MPI are in tests/proc/groups_launch_test.py.
#include "launch/group_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "launch/job_dir.h"
#include "launch/job_processes.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Table nodes end when there is a file "end", which the rank that runs `finish` makes.
const std::string kServe =
    "if [ $GODWIT_ROLE = server ]; then"
    "  while [ ! -e $TMPDIR/logs/end ]; do sleep 0.01; done; exit 0;"
    "fi; finish() { touch $TMPDIR/logs/end; exit 0; };";

class GroupLaunch : public testing::Test {
 protected:
  GroupLaunch() : out_(std::tmpfile()), err_(std::tmpfile()) {
    options_.environment = {{"PATH", "/usr/bin:/bin"}, {"TMPDIR", dir_.path()}, {"MARK", mark_}};
    options_.supervision.common.out_fd = fileno(out_);
    options_.supervision.common.err_fd = fileno(err_);
    options_.restarts.wait_first = milliseconds(10);
    options_.log_dir = dir_.path() + "/logs";
  }
  ~GroupLaunch() override {
    EXPECT_THAT(left(), IsEmpty());
    std::fclose(out_);
    std::fclose(err_);
  }

  Result<GroupLaunchOutcome> run(std::int64_t servers, std::int64_t groups,
                                 const std::string& script) {
    options_.shape = {.servers = servers, .groups = groups, .ranks_per_group = 1};
    options_.command = {"sh", "-c", script};
    return launch_groups(options_, disk_, RealTime());
  }

  // Processes of the job that are still there.
  std::vector<std::int64_t> left() const {
    std::vector<std::int64_t> pids;
    for (const ProcessEntry& process : all_processes()) {
      if (value_of(started_with(process.pid), "MARK") == mark_) pids.push_back(process.pid);
    }
    return pids;
  }
  static std::string written_to(std::FILE* file) {
    return text_of("/proc/self/fd/" + std::to_string(fileno(file)));
  }
  std::string out() { return written_to(out_); }
  std::string err() { return written_to(err_); }

  const JobDir dir_ = JobDir::make("/tmp").value();
  const std::string mark_ = random_hex(8);
  std::FILE* out_;
  std::FILE* err_;
  RealDisk disk_;
  GroupLaunchOptions options_;
};

TEST_F(GroupLaunch, AllFindTheirPlacesAndHaveALog) {
  const auto outcome =
      run(2, 3, "echo $GODWIT_ROLE $GODWIT_NODE$GODWIT_NODE_BASE $GODWIT_GROUP/$GODWIT_GROUPS");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(outcome->finished, SizeIs(3));
  EXPECT_EQ(describe(*outcome), "");
  EXPECT_THAT(lines_of(out()),
              testing::UnorderedElementsAre("[0] server 0 /3", "[1] server 1 /3", "[g0] rank 2 0/3",
                                            "[g1] rank 3 1/3", "[g2] rank 4 2/3"));
  EXPECT_EQ(text_of(options_.log_dir + "/node-1.log"), "server 1 /3\n");
  EXPECT_EQ(text_of(options_.log_dir + "/group-2.log"), "rank 4 2/3\n");
}

TEST_F(GroupLaunch, ADeadGroupIsStartedAgainAndTheOthersGoOn) {
  const auto outcome = run(1, 2,
                           kServe +
                               "echo life $GODWIT_GROUP_LIFE;"
                               "case $GODWIT_GROUP.$GODWIT_GROUP_LIFE in"
                               "  1.0) kill -9 $$;; 1.1) exit 4;; 1.2) finish;;"
                               "esac;"
                               "while [ ! -e $TMPDIR/logs/end ]; do sleep 0.01; done");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(outcome->finished, SizeIs(2));
  EXPECT_EQ(outcome->finished[0].restarts, 0);
  EXPECT_EQ(outcome->finished[1].restarts, 2);
  EXPECT_THAT(err(), HasSubstr("group 1 died (was killed by signal 9 (Killed)), starting it again "
                               "in 0.01 s (1 of 3)"));
  EXPECT_THAT(err(), HasSubstr("group 1 died (exited with code 4), starting it again in 0.02 s "
                               "(2 of 3)"));
  EXPECT_EQ(text_of(options_.log_dir + "/group-1.log"),
            "life 0\n--- group 1 begins anew, life 1\nlife 1\n"
            "--- group 1 begins anew, life 2\nlife 2\n");
  EXPECT_EQ(text_of(options_.log_dir + "/group-0.log"), "life 0\n");
}

TEST_F(GroupLaunch, AGroupThatIsGivenUpDoesNotFailTheJob) {
  options_.restarts.restarts_max = 1;
  const auto outcome = run(1, 2,
                           kServe +
                               "[ $GODWIT_GROUP = 1 ] && { echo why; exit 4; };"
                               "until grep -qs 'life 1' $TMPDIR/logs/group-1.log; do sleep 0.01;"
                               "done; finish");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(outcome->finished, SizeIs(1));
  EXPECT_THAT(outcome->given_up, SizeIs(1));
  EXPECT_THAT(describe(*outcome), AllOf(HasSubstr("given up: group 1 (it exited with code 4); 1 of "
                                                  "2 groups finished"),
                                        HasSubstr("  why\n"), HasSubstr("group-1.log")));
}

TEST_F(GroupLaunch, WithoutAnyGroupTheJobHasFailed) {
  options_.restarts.restarts_max = 1;
  const auto outcome = run(2, 2, "[ $GODWIT_ROLE = server ] && exec sleep 100; exit 4");
  EXPECT_EQ(outcome.value().exit_code, 4);
  EXPECT_FALSE(outcome->server_failure);
  EXPECT_THAT(outcome->given_up, SizeIs(2));
  EXPECT_THAT(describe(*outcome), HasSubstr("no group finished"));
}

TEST_F(GroupLaunch, ATableNodeThatDiesEndsTheJob) {
  const auto outcome = run(2, 2,
                           "[ $GODWIT_ROLE.$GODWIT_NODE = server.1 ] && kill -9 $$;"
                           "exec sleep 100");
  EXPECT_EQ(outcome.value().exit_code, kExitLostNodes);
  ASSERT_TRUE(outcome->server_failure);
  EXPECT_EQ(outcome->server_failure->node, 1);
  EXPECT_THAT(describe(*outcome), HasSubstr("table node 1 was killed by signal 9"));
  EXPECT_THAT(err(), Not(HasSubstr("starting it again")));
}

TEST_F(GroupLaunch, TableNodesThatStayBehindAreEnded) {
  options_.supervision.server_grace = milliseconds(50);
  options_.supervision.common.failure_grace = milliseconds(50);
  const auto outcome =
      run(1, 1, "[ $GODWIT_ROLE = rank ] && exit 0; trap '' TERM; while :; do sleep 0.1; done");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(err(), HasSubstr("not all table nodes"));
}

TEST_F(GroupLaunch, WhatAGroupLeavesBehindIsEnded) {
  const auto outcome = run(1, 1,
                           kServe +
                               "[ $GODWIT_GROUP_LIFE = 1 ] && finish;"
                               "setsid sleep 100 & env -i /bin/sleep 100 & setsid env -i "
                               "/bin/sleep 100 & exit 1");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(children_of(getpid()), IsEmpty());
}

TEST_F(GroupLaunch, AnInterruptIsHandedOnToAll) {
  std::jthread interrupter([&] {
    // Signals are for the thread that launches.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    while (lines_of(out()).size() < 3) poll(nullptr, 0, 5);
    kill(getpid(), SIGINT);
  });
  const auto outcome = run(1, 2, "trap 'echo saved; exit 0' INT; echo ready; sleep 100 & wait");
  EXPECT_EQ(outcome.value().exit_code, kExitInterrupted);
  EXPECT_THAT(lines_of(out()), Contains(HasSubstr("saved")).Times(3));
  EXPECT_THAT(describe(*outcome), HasSubstr("interrupted"));
}

TEST_F(GroupLaunch, BadShapesAreRefusedBeforeAnythingStarts) {
  const auto error_of = [&](GroupShape shape, std::string command = "true") {
    options_.shape = shape;
    options_.command = {std::move(command)};
    const auto outcome = launch_groups(options_, disk_, RealTime());
    return outcome.ok() ? "no error" : outcome.error().message();
  };
  EXPECT_THAT(error_of({.servers = 0}), HasSubstr("at least one of each"));
  EXPECT_THAT(error_of({.groups = 0}), HasSubstr("at least one of each"));
  EXPECT_THAT(error_of({.ranks_per_group = -1}), HasSubstr("at least one of each"));
  EXPECT_THAT(error_of({.groups = 64, .ranks_per_group = 64}), HasSubstr("more than 4096 nodes"));
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_THAT(error_of({.groups = huge, .ranks_per_group = huge}), HasSubstr("more than 4096"));
  EXPECT_THAT(error_of({}, "no-such-command"), HasSubstr("'no-such-command' not found"));
  options_.restarts.restarts_max = -1;
  EXPECT_THAT(error_of({}), HasSubstr("--restarts is -1"));
  options_.restarts.restarts_max = 3;
  options_.environment["PATH"] = dir_.path();
  EXPECT_THAT(error_of({.ranks_per_group = 2}, "/bin/true"), HasSubstr("install openmpi-bin"));
  EXPECT_FALSE(std::filesystem::exists(options_.log_dir));
}

TEST(MeetingPoint, IsAPortOnlyWhereRanksMayBeElsewhere) {
  EXPECT_EQ(meeting_point(MpiKind::kOpenMpi, {{"SLURM_JOB_NODELIST", "a[1-2]"}}, "vm", "/d", 7),
            "unix:/d/rendezvous");
  EXPECT_EQ(meeting_point(MpiKind::kSlurm, {{"SLURM_JOB_NODELIST", "vm"}}, "vm.site", "/d", 7),
            "unix:/d/rendezvous");
  EXPECT_EQ(meeting_point(MpiKind::kSlurm, {{"SLURM_JOB_NODELIST", "vm2"}}, "vm", "/d", 10007),
            "tcp:vm:20007");
}

}  // namespace
}  // namespace godwit
