// bench/run_program_test.cc: output, failures, deadlines, signals.
#include "bench/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace godwit {
namespace {

using testing::HasSubstr;

Result<std::string> run_shell(const std::string& script, const SignalIntake& signals,
                              std::chrono::seconds deadline = std::chrono::seconds(30)) {
  return run_program({.path = "/bin/sh", .arguments = {"-c", script}, .deadline = deadline},
                     {{"PATH", "/usr/bin:/bin"}}, signals);
}

TEST(RunProgram, GivesWhatWasWritten) {
  const SignalIntake signals;
  EXPECT_EQ(run_shell("echo one; sleep 0.05; echo two >&2", signals).value(), "one\ntwo\n");
}

TEST(RunProgram, KeepsTheEndOfMuchText) {
  const SignalIntake signals;
  const std::string text =
      run_shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789 $i; i=$((i+1)); done", signals)
          .value();
  EXPECT_EQ(text.size(), std::size_t{64} << 10);
  EXPECT_TRUE(text.ends_with("0123456789 19999\n"));
}

TEST(RunProgram, SaysHowItFailed) {
  const SignalIntake signals;
  const auto failed = run_shell("echo begun; echo no such text >&2; exit 3", signals);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(failed.error().message(), HasSubstr("code 3: no such text"));
  EXPECT_FALSE(run_program({.path = "/no/such/program"}, {}, signals).ok());
}

TEST(RunProgram, EndsAtTheDeadlineAndOnASignal) {
  {
    const SignalIntake signals;
    const auto late = run_shell("sleep 60", signals, std::chrono::seconds(1));
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
  }
  SignalIntake signals;
  ::kill(::getpid(), SIGTERM);
  const auto stopped = run_shell("sleep 60", signals);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code(), ErrorCode::kAborted);
  EXPECT_EQ(signals.take(), SIGTERM) << "it is still there for who owns the signals";
}

}  // namespace
}  // namespace godwit
