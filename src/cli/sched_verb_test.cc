// cli/sched_verb_test.cc: what `godwit sched simulate` prints and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/command_line.h"

namespace godwit {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome simulate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"sched", "simulate"});
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command_line(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(SchedSimulate, ComparesPoliciesOnTheSameJobs) {
  const Outcome outcome = simulate({"--synthetic", "jobs=10,slots=8", "--machines", "4", "--policy",
                                    "fifo,godwit", "--seeds", "2", "--certify", "--gantt"});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
  for (const char* word : {"fifo", "godwit", "seeds 1 2", "no schedule is worth more", "m3 |"}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
}

TEST(SchedSimulate, IsCertifiedUnlessItIsLargeOrNotWanted) {
  const auto has_bound = [](const char* jobs, const char* machines, const char* flag) {
    std::vector<std::string> words{"--synthetic", jobs, "--machines", machines, "--policy", "fifo"};
    if (*flag != 0) words.emplace_back(flag);
    const Outcome outcome = simulate(words);
    EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
    EXPECT_EQ(outcome.out.find("of bound") == std::string::npos,
              outcome.out.find("no schedule is worth more") == std::string::npos);
    return outcome.out.find("of bound") != std::string::npos;
  };
  EXPECT_TRUE(has_bound("jobs=10,slots=8", "100", ""));
  EXPECT_FALSE(has_bound("jobs=10,slots=8", "100", "--no-certify"));
  EXPECT_FALSE(has_bound("jobs=10,slots=8", "101", ""));
  EXPECT_TRUE(has_bound("jobs=10,slots=8", "101", "--certify"));
  EXPECT_FALSE(has_bound("jobs=2001,slots=4", "4", ""));
}

TEST(SchedSimulate, WritesJsonAndReports) {
  const std::string html = testing::TempDir() + "sched_verb_test.html";
  const Outcome outcome = simulate({"--synthetic", "default", "--machines", "4 x p8", "--policy",
                                    "godwit", "--json", "--html", html});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
  for (const char* figure :
       {"utility", "of_bound", "jct_p50", "used_gpu", "used_cpu", "decision_p50_ms",
        "decision_p99_ms", "decision_max_ms", "slot_p50_ms", "slot_p99_ms", "slot_max_ms"}) {
    EXPECT_THAT(outcome.out, HasSubstr("\"" + std::string(figure) + "\":"));
  }
  std::ifstream file(html);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("Machines, godwit"));
}

TEST(SchedSimulate, RefusesWhatItCannotUse) {
  EXPECT_EQ(simulate({}).code, kExitUsage);
  EXPECT_THAT(simulate({"--synthetic", "job=3"}).err, HasSubstr("did you mean 'jobs'"));
  EXPECT_THAT(simulate({"--synthetic", "default", "--policy", "fifi"}).err,
              HasSubstr("did you mean 'fifo'"));
  EXPECT_THAT(simulate({"--synthetic", "default", "--machines", "4 x c5"}).err,
              HasSubstr("did you mean 'c5n'"));
  for (const char* source : {"--trace", "--jobs"}) {
    const Outcome outcome = simulate({source, "there/is/none"});
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_THAT(outcome.err, HasSubstr("there/is/none"));
  }
  EXPECT_THAT(simulate({"--synthetic", "default", "--price-L", "-1"}).err, HasSubstr("price.L"));
}

}  // namespace
}  // namespace godwit
