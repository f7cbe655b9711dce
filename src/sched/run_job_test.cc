// sched/run_job_test.cc: a runner and its processes, real ones.
#include "sched/run_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "launch/job_processes.h"
#include "sched/life_dir.h"
#include "sched/local_backend.h"

namespace godwit {
namespace {

using testing::HasSubstr;

const Environment kEnvironment{{"PATH", "/usr/bin:/bin"}};

// Five minutes of it are a second.
class FastTime final : public TimeSource {
 public:
  Time now() const override { return begin_ + 300 * (real_.now() - begin_); }

 private:
  const RealTime real_;
  const Time begin_ = real_.now();
};

class RunJobTest : public testing::Test {
 protected:
  RunJobTest() : dir_(disk_, path_ + "/life-1") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~RunJobTest() override {
    for (const pid_t pid : runners_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    std::filesystem::remove_all(path_);
  }

  void write_spec(const std::vector<std::string>& scripts, const std::string& stop_script = "") {
    LifeSpec spec{.job = job_, .cwd = path_, .new_run = path_ + "/run"};
    for (const std::string& script : scripts) {
      spec.processes.push_back(
          {.command = {"sh", "-c", script}, .environment = {{"GODWIT_JOB", job_}, {"WHO", "me"}}});
    }
    if (!stop_script.empty()) spec.stop_command = {"sh", "-c", stop_script};
    ASSERT_TRUE(dir_.write_spec(spec).ok());
  }
  // As another process, as the daemon has it.
  pid_t begin(const Environment& environment = kEnvironment, const TimeSource& time = RealTime()) {
    const pid_t pid = fork();
    if (pid == 0) {
      const auto code = run_job(dir_.path(), environment, disk_, time);
      _exit(code.ok() ? *code : 99);
    }
    runners_.push_back(pid);
    return pid;
  }
  int end(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    std::erase(runners_, pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void wait_for(const std::string& name) {
    for (int i = 0; i < 2000 && !std::filesystem::exists(path_ + "/" + name); ++i) usleep(5000);
    ASSERT_TRUE(std::filesystem::exists(path_ + "/" + name)) << name;
  }
  std::string text_of(const std::string& name) {
    std::ifstream file(path_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Sighting seen() { return sighting_by_dir(disk_, {job_, dir_.path()}).value(); }

  RealDisk disk_;
  const std::string job_ = "run-job-test-" + std::to_string(::getpid());
  const std::string path_ = testing::TempDir() + "run_job_test-" + std::to_string(::getpid());
  LifeDir dir_;
  std::vector<pid_t> runners_;
};

TEST_F(RunJobTest, RunsOnceAndWritesDownHowItEnded) {
  write_spec({"echo $WHO >>begun", "exit 0"});
  EXPECT_EQ(end(begin()), 0);
  EXPECT_EQ(dir_.read_exit().value()->code, 0);
  EXPECT_EQ(end(begin()), 99) << "a second runner finds it claimed";
  EXPECT_EQ(text_of("begun"), "me\n");
}

TEST_F(RunJobTest, AFailureNamesNodeAndLastWords) {
  write_spec({"while :; do sleep 0.05; done", "echo no data >&2; exit 4"});
  EXPECT_EQ(end(begin()), 4);
  EXPECT_THAT(dir_.read_exit().value()->text, HasSubstr("node 1 exited with code 4: no data"));
}

// As a training does, of which only node 0 says what all nodes know.
TEST_F(RunJobTest, WhoEndsAloneWithWordsIsAskedForThem) {
  write_spec({"trap '' TERM; echo no data >&2; touch said; sleep 0.3; exit 4",
              "until [ -e said ]; do sleep 0.01; done; exit 4"});
  EXPECT_EQ(end(begin()), 4);
  EXPECT_THAT(dir_.read_exit().value()->text, HasSubstr("node 0 exited with code 4: no data"));
}

TEST_F(RunJobTest, OurOwnWordsTellMoreThanSlurms) {
  write_spec(
      {"echo 'godwit train: no such data'; echo bye; echo 'srun: error: n1: task 0: Exited with "
       "exit code 2'; exit 2"});
  EXPECT_EQ(end(begin()), 2);
  EXPECT_THAT(dir_.read_exit().value()->text, testing::EndsWith(": godwit train: no such data"));
}

TEST_F(RunJobTest, AnybodysWordsTellMoreThanSlurms) {
  write_spec({"echo why; echo 'slurmstepd: error: *** STEP'; echo 'srun: error: n1'; exit 2"});
  EXPECT_EQ(end(begin()), 2);
  EXPECT_THAT(dir_.read_exit().value()->text, testing::EndsWith(": why"));
}

TEST_F(RunJobTest, WhereTheSystemHasNoRoomAnotherLifeMayHaveIt) {
  write_spec({"true"});
  Environment environment = kEnvironment;
  environment["TMPDIR"] = "/nowhere";
  EXPECT_EQ(end(begin(environment)), kJobLostNodes);
  EXPECT_THAT(dir_.read_exit().value()->text, HasSubstr("/nowhere"));
}

TEST_F(RunJobTest, WhatCannotBeStartedEndsTheLife) {
  LifeSpec spec{.job = job_, .cwd = path_ + "/nowhere"};
  spec.processes.push_back({.command = {"true"}});
  ASSERT_TRUE(dir_.write_spec(spec).ok());
  EXPECT_EQ(end(begin()), 2);
  EXPECT_THAT(dir_.read_exit().value()->text, HasSubstr("nowhere"));
}

TEST_F(RunJobTest, StopIsPassedOnOnce) {
  write_spec({"trap 'echo saved >>log; exit 130' TERM; touch ready; while :; do sleep 0.05; done"});
  const pid_t runner = begin();
  wait_for("ready");
  ASSERT_TRUE(dir_.ask("stop").ok());
  ASSERT_TRUE(dir_.ask("stop").ok());
  EXPECT_EQ(end(runner), kJobInterrupted);
  EXPECT_EQ(text_of("log"), "saved\n");
}

TEST_F(RunJobTest, AStopCommandThatFailedIsTriedAgain) {
  write_spec({"echo $$ >pid; trap 'exit 130' INT; touch ready; while :; do sleep 0.05; done"},
             "echo asked >>asks; test $(wc -l <asks) -gt 1 && kill -INT $(cat pid)");
  const pid_t runner = begin();
  wait_for("ready");
  ASSERT_TRUE(dir_.ask("stop").ok());
  wait_for("life-1/exit");
  EXPECT_EQ(end(runner), kJobInterrupted);
  EXPECT_EQ(text_of("asks"), "asked\nasked\n");
}

TEST_F(RunJobTest, WhoNeverHearsOfAStopIsEndedAfterItsTime) {
  write_spec({"trap '' TERM INT; touch ready; while :; do sleep 0.05; done"}, "exit 1");
  const FastTime time;
  const pid_t runner = begin(kEnvironment, time);
  wait_for("ready");
  ASSERT_TRUE(dir_.ask("stop").ok());
  wait_for("life-1/exit");
  EXPECT_EQ(end(runner), kJobInterrupted);
  EXPECT_TRUE(find_processes({.job = job_}).empty());
}

TEST_F(RunJobTest, KillEndsWhoDoesNotWantTo) {
  write_spec({"trap '' TERM INT; touch ready; while :; do sleep 0.05; done"});
  const pid_t runner = begin();
  wait_for("ready");
  ASSERT_TRUE(dir_.ask("kill").ok());
  EXPECT_EQ(end(runner), kJobInterrupted);
  EXPECT_TRUE(find_processes({.job = job_}).empty());
}

TEST_F(RunJobTest, AKilledRunnerLeavesNoProcessAndIsLost) {
  write_spec({"touch ready; while :; do sleep 0.05; done"});
  const pid_t runner = begin();
  wait_for("ready");
  Cluster cluster;
  const RealTime time;
  LocalBackend backend(cluster, {"/bin/false", kEnvironment}, disk_, time);
  const std::vector<LifeId> lives{{job_, dir_.path()}};
  EXPECT_EQ(backend.look(lives).value()[0].kind, Sighting::Kind::kRunning);
  kill(runner, SIGKILL);
  end(runner);
  EXPECT_EQ(backend.look(lives).value()[0].kind, Sighting::Kind::kLost);
  EXPECT_TRUE(find_processes({.job = job_}).empty());
}

TEST_F(RunJobTest, WhatIsStoppedBeforeItBeginsNeverDoes) {
  write_spec({"touch begun"});
  const LifeId life{job_, dir_.path()};
  EXPECT_EQ(seen().kind, Sighting::Kind::kAbsent);
  ASSERT_TRUE(ask_life(disk_, life, "stop").ok());
  EXPECT_EQ(seen().kind, Sighting::Kind::kEnded);
  EXPECT_EQ(seen().exit_code, kJobInterrupted);
  EXPECT_EQ(end(begin()), 99);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/begun"));
}

TEST_F(RunJobTest, ARunWithoutACheckpointIsPutAside) {
  std::filesystem::create_directories(path_ + "/run/half");
  write_spec({"mkdir run"});
  EXPECT_EQ(end(begin()), 0);
  EXPECT_TRUE(std::filesystem::exists(path_ + "/run.before-life-1/half"));
}

}  // namespace
}  // namespace godwit
