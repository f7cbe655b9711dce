// cli/sched_live_verbs_test.cc: what the commands of a running scheduler refuse. With one that
// runs: tests/proc/sched_daemon_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command_line.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome sched(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sched");
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command_line(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(SchedLive, WithoutASchedulerItIsSaidHowToBegin) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"list"},
                                                                 {"list", "--all"},
                                                                 {"explain", "a"},
                                                                 {"cancel", "a"},
                                                                 {"drain", "m"},
                                                                 {"undrain", "m"},
                                                                 {"stop"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--state", testing::TempDir() + "no_such_state"});
    const Outcome outcome = sched(all);
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_THAT(outcome.err, HasSubstr("begin with `godwit sched serve"));
  }
}

TEST(SchedLive, WrongUseIsRefused) {
  EXPECT_EQ(sched({"serve"}).code, kExitUsage);
  EXPECT_EQ(sched({"explain"}).code, kExitUsage);
  EXPECT_THAT(sched({"serve", "--cluster", "none.toml"}).err, HasSubstr("none.toml"));
  EXPECT_THAT(sched({"submit", "none.toml"}).err, HasSubstr("none.toml"));
  EXPECT_EQ(sched({"serve", "--cluster", "c", "--backend", "k8s"}).code, kExitUsage);
  EXPECT_THAT(sched({"run-job", testing::TempDir() + "no_such_life"}).err, HasSubstr("spec"));
}

TEST(SchedLive, TheRunnerIsNotListed) {
  const Outcome help = sched({"--help"});
  EXPECT_THAT(help.out, HasSubstr("submit"));
  EXPECT_THAT(help.out, Not(HasSubstr("run-job")));
}

}  // namespace
}  // namespace godwit
