// sched/life_dir_test.cc: one life has one claim, and files mean what they say.
#include "sched/life_dir.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace godwit {
namespace {

class LifeDirTest : public testing::Test {
 protected:
  LifeDirTest() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~LifeDirTest() override { std::filesystem::remove_all(path_); }

  RealDisk disk_;
  const std::string path_ = testing::TempDir() + "life_dir_test-" + std::to_string(::getpid());
};

TEST_F(LifeDirTest, OfManyThatClaimOneWins) {
  LifeClaim mine = claim_of_this_process();
  std::atomic<int> winners = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        LifeClaim claim = mine;
        claim.host = "host" + std::to_string(i);
        LifeDir dir(disk_, path_);
        winners += dir.claim(claim).value() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(winners, 1);
  LifeDir dir(disk_, path_);
  EXPECT_EQ(dir.read_claim().value()->pid, mine.pid);
  EXPECT_FALSE(dir.claim({}).value()) << "it is too late to prevent it";
}

TEST_F(LifeDirTest, AProcessIsToldFromALaterOneOfItsNumber) {
  LifeClaim claim = claim_of_this_process();
  EXPECT_TRUE(is_alive(claim));
  claim.start += 1;
  EXPECT_FALSE(is_alive(claim));
  EXPECT_FALSE(is_alive({}));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  claim.start -= 1;
  claim.pid = child;
  EXPECT_FALSE(is_alive(claim));
  waitpid(child, nullptr, 0);
}

TEST_F(LifeDirTest, SpecAskAndExitComeBack) {
  LifeDir dir(disk_, path_ + "/new");
  LifeSpec spec{.job = "j", .cwd = "/tmp", .new_run = "/r", .stop_command = {"scancel"}};
  spec.processes.push_back({.command = {"a", "b c"}, .environment = {{"X", "1"}}});
  ASSERT_TRUE(dir.write_spec(spec).ok());
  const LifeSpec back = dir.read_spec().value();
  EXPECT_EQ(back.processes[0].command, spec.processes[0].command);
  EXPECT_EQ(back.processes[0].environment, spec.processes[0].environment);
  EXPECT_EQ(back.new_run, "/r");
  EXPECT_EQ(back.stop_command, spec.stop_command);
  EXPECT_FALSE(dir.is_asked("stop"));
  ASSERT_TRUE(dir.ask("stop").ok());
  EXPECT_TRUE(dir.is_asked("stop"));
  EXPECT_FALSE(dir.read_exit().value());
  ASSERT_TRUE(dir.write_exit({130, "two\nlines"}).ok());
  EXPECT_EQ(dir.read_exit().value()->code, 130);
  EXPECT_EQ(dir.read_exit().value()->text, "two\nlines");
  EXPECT_FALSE(LifeSpec::parse("{}").ok());
}

}  // namespace
}  // namespace godwit
