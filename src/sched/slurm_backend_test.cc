// sched/slurm_backend_test.cc: what is thought of lives by what Slurm says of them; its commands
// are made up. With a real Slurm: tests/proc/sched_daemon_test.py.
#include "sched/slurm_backend.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sched/life_dir.h"

namespace godwit {
namespace {

using Kind = Sighting::Kind;

class SlurmBackendTest : public testing::Test {
 protected:
  SlurmBackendTest() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    command("squeue", "cat " + path_ + "/queue");
    command("scancel", "echo $* >>" + path_ + "/cancelled");
    queue("");
  }
  ~SlurmBackendTest() override { std::filesystem::remove_all(path_); }

  void command(const std::string& name, const std::string& script) {
    std::ofstream(path_ + "/" + name) << "#!/bin/sh\n" << script << "\n";
    chmod((path_ + "/" + name).c_str(), 0755);
  }
  void queue(const std::string& state) {
    std::ofstream(path_ + "/queue")
        << (state.empty() ? "" : life_.name + "|1|" + state + "|n1|-\n");
  }
  Sighting look() { return backend_.look({life_}).value()[0]; }

  const std::string path_ = testing::TempDir() + "slurm_backend_test-" + std::to_string(::getpid());
  const LifeId life_{"godwit-x-1.1", path_ + "/life"};
  const Cluster cluster_{.resources = {"cpu"}, .machines = {{"n1", {4}}}};
  RealDisk disk_;
  ManualTime time_;
  LifeDir dir_{disk_, life_.dir};
  SlurmBackend backend_{
      cluster_, {"/bin/godwit", {{"PATH", path_ + ":/usr/bin:/bin"}}}, disk_, time_};
};

TEST_F(SlurmBackendTest, ALifeIsWhatSlurmAndItsDirectorySay) {
  EXPECT_EQ(look().kind, Kind::kAbsent);
  queue("PENDING");
  EXPECT_EQ(look().kind, Kind::kQueued);
  queue("RUNNING");
  EXPECT_EQ(look().kind, Kind::kQueued) << "its runner has not begun it";
  ASSERT_TRUE(disk_.make_dirs(life_.dir).ok());
  ASSERT_TRUE(dir_.claim(claim_of_this_process()).value());
  EXPECT_EQ(look().kind, Kind::kRunning);
  ASSERT_TRUE(dir_.write_exit({4, "no data"}).ok());
  EXPECT_EQ(look().kind, Kind::kRunning) << "its machines are not free yet";
  queue("FAILED");
  EXPECT_EQ(look().kind, Kind::kEnded);
  EXPECT_EQ(look().exit_code, 4);
}

// Its runner may live on: two lives at once would write into one run.
TEST_F(SlurmBackendTest, ALifeThatSlurmForgotIsLostOnlyAfterItWasToldToEnd) {
  ASSERT_TRUE(disk_.make_dirs(life_.dir).ok());
  ASSERT_TRUE(dir_.claim(claim_of_this_process()).value());
  EXPECT_EQ(look().kind, Kind::kRunning);
  EXPECT_TRUE(dir_.is_asked("kill"));
  time_.advance(std::chrono::seconds(9));
  EXPECT_EQ(look().kind, Kind::kRunning);
  time_.advance(std::chrono::seconds(1));
  EXPECT_EQ(look().kind, Kind::kLost);
  ASSERT_TRUE(dir_.write_exit({kJobInterrupted, "it was interrupted"}).ok());
  EXPECT_EQ(look().kind, Kind::kEnded) << "its word counts, whenever it comes";
}

TEST_F(SlurmBackendTest, WhatNobodyHasBegunIsLostAtOnce) {
  ASSERT_TRUE(disk_.make_dirs(life_.dir).ok());
  queue("CANCELLED");
  const Sighting seen = look();
  EXPECT_EQ(seen.kind, Kind::kLost);
  EXPECT_EQ(seen.text, "its Slurm job is CANCELLED");
  EXPECT_FALSE(dir_.claim(claim_of_this_process()).value()) << "nor will anybody";
}

}  // namespace
}  // namespace godwit
