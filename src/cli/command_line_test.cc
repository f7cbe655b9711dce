// cli/command_line_test.cc: what a user types, and what comes back.
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace godwit {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command_line(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  EXPECT_EQ(run({"--help"}).code, kExitOk);
  EXPECT_THAT(run({"--help"}).out, HasSubstr("Start here:"));
  EXPECT_THAT(run({"--version"}).out, testing::MatchesRegex("godwit [0-9.]+\n"));
  EXPECT_THAT(run({"bench", "store", "--help"}).out, HasSubstr("--quick"));
  EXPECT_EQ(run({"bench", "store", "--help"}).code, kExitOk);
}

TEST(CommandLine, NothingGivenIsAUsageError) {
  EXPECT_EQ(run({}).code, kExitUsage);
  EXPECT_THAT(run({}).err, HasSubstr("usage: godwit"));
  EXPECT_EQ(run({}).out, "");
}

TEST(CommandLine, UnknownWordsAreNamed) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"fly"},
                                                    {"demo", "--wings=2"},
                                                    {"bench", "store", "--qick"},
                                                    {"demo", "--epochs", "many"},
                                                    {"bench"},
                                                    {"bench", "rows"},
                                                    {"demo", "--epochs"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitUsage) << arguments.back();
    EXPECT_THAT(outcome.err, HasSubstr("godwit --help")) << arguments.back();
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_THAT(run({"demo", "--wings=2"}).err, HasSubstr("--wings"));
  EXPECT_THAT(run({"fly"}).err, HasSubstr("fly"));
}

TEST(CommandLine, BadValuesAreUsageErrors) {
  const Outcome outcome = run({"demo", "--epochs", "0"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("epochs is 0"));
  EXPECT_EQ(run({"demo", "--rows", "0"}).code, kExitUsage);
  EXPECT_EQ(run({"demo", "--noise", "nan"}).code, kExitUsage);
}

TEST(CommandLine, TheDemoSaysHowFarFromTheFloorItIs) {
  const Outcome outcome = run({"demo", "--nodes", "1", "--rows", "300", "--columns", "200",
                               "--ratings", "120000", "--epochs", "25"});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("what no model can beat"));
}

TEST(CommandLine, ADemoThatHasNotLearnedFails) {
  EXPECT_EQ(run({"demo", "--nodes", "1", "--rows", "300", "--columns", "200", "--ratings", "1000",
                 "--epochs", "1"})
                .code,
            kExitFailed);
}

}  // namespace
}  // namespace godwit
