// launch/supervised_group_test.cc: what a group's end means, and which rank is named for it. Whole
// lives are in group_launcher_test.cc.
#include "launch/supervised_group.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill

#include "base/errors.h"

namespace godwit {
namespace {

using State = SupervisedGroup::State;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(GroupStatus, AnExitCodeOfALauncherMayMeanASignal) {
  EXPECT_EQ(group_status({.code = 137}), (ExitStatus{.signal = 9}));
  EXPECT_EQ(group_status({.code = 143}), (ExitStatus{.signal = 15}));
  EXPECT_EQ(group_status({.code = 0}), ExitStatus{});
  for (const int code : {1, 2, 127, 128, 193, 255}) {
    EXPECT_EQ(group_status({.code = code}), (ExitStatus{.code = code}));
  }
  EXPECT_EQ(group_status({.signal = 9}), (ExitStatus{.signal = 9}));
}

TEST(FailedRank, IsNamedByOpenMpiAndSlurm) {
  EXPECT_EQ(failed_rank({"x",
                         "mpirun.openmpi noticed that process rank 12 with PID 0 on node vm "
                         "exited on signal 9 (Killed)."}),
            12);
  EXPECT_EQ(failed_rank({"  Process name: [[17213,1],3]", "  Exit code:    5"}), 3);
  EXPECT_EQ(failed_rank({"srun: error: n1: task 1: Killed"}), 1);
  EXPECT_EQ(failed_rank({"srun: error: n1: tasks 0-3: Killed"}), std::nullopt);
  EXPECT_EQ(failed_rank({"[1,0]<stdout>:rank 3"}), std::nullopt);
  EXPECT_EQ(failed_rank({}), std::nullopt);
}

// A group of one rank that does `script`, without a terminal and by a clock that stands still.
class OneGroup : public testing::Test {
 protected:
  void make(const std::string& script, std::int64_t restarts_max) {
    GroupSetup setup{.group = 3, .job = "of-one-group", .restarts = {.restarts_max = restarts_max}};
    setup.start = [script, this](std::int64_t life) {
      starts_.push_back(life);
      const Environment environment = {
          {"PATH", "/usr/bin:/bin"}, {"GODWIT_JOB", "of-one-group"}, {"GODWIT_GROUP", "3"}};
      return ChildProcess::spawn("/bin/sh", {"sh", "-c", script}, environment, ChildOutput::kPipes,
                                 ChildLeads::kSession);
    };
    setup.ended = [this](pid_t) { ++ended_; };
    group_.emplace(std::move(setup), relay_);
  }
  // Until its process has ended, and what is left of it.
  void live(Time now) {
    group_->on_time(now);
    while (group_->state() == State::kRunning || group_->state() == State::kSweeping) {
      pollfd polled{group_->process()->pid_fd(), POLLIN, 0};
      ASSERT_EQ(poll(&polled, 1, 20'000), 1);
      group_->on_end(now);
    }
  }
  static Time at(Duration time) { return Time(time); }

  OutputRelay relay_{1, 2, true};
  std::vector<std::int64_t> starts_;
  int ended_ = 0;
  std::optional<SupervisedGroup> group_;
};

TEST_F(OneGroup, ThatEndsWellIsFinished) {
  make("exit 0", 3);
  live(at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kFinished);
  EXPECT_EQ(group_->restarts(), 0);
  EXPECT_EQ(ended_, 1);
}

TEST_F(OneGroup, ThatDiesWaitsForItsNextLife) {
  make("exit 5", 2);
  live(at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kWaiting);
  EXPECT_EQ(group_->due(), at(milliseconds(1500)));
  group_->on_time(at(milliseconds(1499)));
  EXPECT_EQ(group_->state(), State::kWaiting);
  live(at(milliseconds(1500)));
  EXPECT_EQ(group_->due(), at(milliseconds(2500)));
  live(at(milliseconds(2500)));
  EXPECT_EQ(group_->state(), State::kGivenUp);
  EXPECT_EQ(group_->status(), (ExitStatus{.code = 5}));
  EXPECT_EQ(starts_, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(ended_, 3);
}

TEST_F(OneGroup, ThatIsStoppedHasNoOtherLife) {
  make("exec sleep 100", 3);
  group_->on_time(at(seconds(1)));
  group_->stop(SIGTERM, at(seconds(1)));
  live(at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kStopped);
  EXPECT_EQ(group_->status(), (ExitStatus{.signal = SIGTERM}));

  make("exit 5", 3);
  live(at(seconds(1)));
  group_->stop(SIGTERM, at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kStopped);
  EXPECT_EQ(group_->due(), std::nullopt);
}

TEST_F(OneGroup, ThatIsKilledLeavesNobody) {
  make("trap '' TERM INT; setsid sleep 100 & sleep 100 & wait", 3);
  group_->on_time(at(seconds(1)));
  const JobProcesses all{.job = "of-one-group"};
  while (find_processes(all).size() < 3) poll(nullptr, 0, 1);
  group_->kill(at(seconds(1)));
  live(at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kStopped);
  EXPECT_TRUE(find_processes(all).empty());
}

TEST_F(OneGroup, ThatCannotBeStartedHasDied) {
  make("exit 0", 1);
  GroupSetup setup{.restarts = {.restarts_max = 1}};
  setup.start = [](std::int64_t) -> Result<ChildProcess> { return unavailable("no room"); };
  group_.emplace(std::move(setup), relay_);
  group_->on_time(at(seconds(1)));
  EXPECT_EQ(group_->state(), State::kWaiting);
  group_->on_time(at(seconds(2)));
  EXPECT_EQ(group_->state(), State::kGivenUp);
  EXPECT_EQ(group_->status(), (ExitStatus{.code = 1}));
}

}  // namespace
}  // namespace godwit
