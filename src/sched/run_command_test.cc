// sched/run_command_test.cc: output, failures and commands that take too long.
#include "sched/run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

const Environment kEnvironment{{"PATH", "/usr/bin:/bin"}};

Result<std::string> shell(const std::string& script, Duration within = std::chrono::seconds(20)) {
  const RealTime time;
  return run_command({"sh", "-c", script}, kEnvironment, within, time);
}

TEST(RunCommand, GivesWhatItSays) {
  EXPECT_EQ(shell("echo one; echo two").value(), "one\ntwo\n");
  EXPECT_EQ(shell("head -c 300000 /dev/zero | tr '\\0' x").value().size(), 300'000U);
}

TEST(RunCommand, AFailureHasItsWords) {
  const auto failed = shell("echo no such partition >&2; exit 3");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(failed.error().message(), HasSubstr("code 3: no such partition"));
  const RealTime time;
  EXPECT_EQ(run_command({"no-such-command"}, kEnvironment, {}, time).error().code(),
            ErrorCode::kNotFound);
}

TEST(RunCommand, WhatTakesTooLongIsKilled) {
  const auto late = shell("sleep 60", std::chrono::milliseconds(100));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
}

}  // namespace
}  // namespace godwit
