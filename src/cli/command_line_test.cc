// cli/command_line_test.cc: what a user types, and what comes back.
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/verbs.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST(CommandLine, BenchPlacementNamesWhatItKnows) {
  const Outcome outcome = run({"bench", "placement", "--pattern", "chess"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("mf_blocks"));
  EXPECT_THAT(run({"bench", "placement", "--policy", "hope"}).err, HasSubstr("relocate_only"));
  EXPECT_THAT(run({"bench", "clocks", "--straggler", "often"}).err, HasSubstr("slow_worker"));
  EXPECT_THAT(run({"bench", "staleness", "--consistency", "bsp,ssp"}).err, HasSubstr("'ssp'"));
  EXPECT_THAT(run({"bench", "train", "--part", "all"}).err, HasSubstr("tax, scaling, peers"));
  EXPECT_THAT(run({"bench", "train", "--task", "kgb"}).err, HasSubstr("did you mean 'kge'"));
  const Outcome untaxed = run({"bench", "train", "--part", "tax", "--task", "lda"});
  EXPECT_EQ(untaxed.code, kExitUsage);
  EXPECT_THAT(untaxed.err, HasSubstr("tax has mf, w2v, kge"));
  const Outcome model = run({"bench", "staleness", "--model", "kge"});
  EXPECT_EQ(model.code, kExitUsage);
  EXPECT_THAT(model.err, HasSubstr("model 'kge' is neither mf nor lda"));
  EXPECT_EQ(run({"bench", "clocks", "--model", "mf"}).code, kExitUsage);
  for (const char* bench : {"clocks", "staleness", "placement", "train"}) {
    EXPECT_EQ(run({"bench", bench, "--repetitions", "-1"}).code, kExitUsage) << bench;
  }
}

// An mpirun that only pretends: one result.
constexpr const char* kMpirun = R"(#!/bin/sh
while [ "$1" != --rank-in ]; do shift; done
printf 'sum\t2\tus\t1\t0.5\tno note\twanted\t%s\n' "$PRETEND_WANTED" > "$2/results"
)";

TEST(CommandLine, BenchVerifyFailsIfLessIsReachedThanWanted) {
  const OwnFiles files;
  std::filesystem::permissions(files.write("mpirun", kMpirun), std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (files.dir() + ":" + path).c_str(), 1);
  const auto bench = [](const char* wanted, std::vector<std::string> more) {
    ::setenv("PRETEND_WANTED", wanted, 1);
    std::vector<std::string> arguments{"bench", "collective", "--ranks", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Outcome missed = bench("0.95", {"--verify"});
  EXPECT_EQ(missed.code, kExitFailed);
  EXPECT_THAT(missed.err,
              HasSubstr("godwit bench collective: sum: the ratio is 0.5, but 0.95 is wanted\n"));
  EXPECT_THAT(missed.out, HasSubstr("sum"));
  EXPECT_EQ(bench("0.95", {"--verify", "--json"}).code, kExitFailed);
  EXPECT_EQ(bench("0.95", {}).code, kExitOk);
  const Outcome met = bench("0.5", {"--verify"});
  EXPECT_EQ(met.code, kExitOk);
  EXPECT_THAT(met.err, HasSubstr("all 1 targets are met"));
  EXPECT_EQ(bench("0", {"--verify"}).code, kExitOk);
  EXPECT_EQ(bench("0.95", {"--verify", "--verfy"}).code, kExitUsage);
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("PRETEND_WANTED");
  EXPECT_EQ(run({"bench", "clocks", "--verify", "--straggler", "often"}).code, kExitUsage);
  EXPECT_THAT(run({"bench", "pace", "--help"}).out, HasSubstr("--verify"));
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
                                                    {"bench"},
                                                    {"bench", "rows"},
                                                    {"demo", "--epochs"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitUsage) << arguments.back();
    EXPECT_THAT(outcome.err, HasSubstr(" --help`.\n")) << arguments.back();
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_THAT(run({"fly"}).err, HasSubstr("`godwit --help`"));
  EXPECT_THAT(run({"demo", "--wings=2"}).err, HasSubstr("`godwit demo --help`"));
  EXPECT_THAT(run({"bench", "store", "--qick"}).err, HasSubstr("`godwit bench store --help`"));
  EXPECT_THAT(run({"demo", "--wings=2"}).err, HasSubstr("--wings"));
  EXPECT_THAT(run({"fly"}).err, HasSubstr("fly"));
}

TEST(CommandLine, TrainSaysWhatItLacksWithAnExample) {
  for (const auto& [arguments, lacking] :
       {std::pair(std::vector<std::string>{"train"}, "a task is required"),
        std::pair(std::vector<std::string>{"train", "kge"}, "--data is required")}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_THAT(outcome.err, HasSubstr(lacking));
    EXPECT_THAT(outcome.err, HasSubstr("godwit train kge --data wordnet"));
    EXPECT_THAT(outcome.err, HasSubstr("`godwit train --help`"));
  }
  const std::string help = run({"train", "--help"}).out;
  EXPECT_THAT(help, testing::ContainsRegex("--data TEXT REQUIRED"));
  EXPECT_THAT(help, HasSubstr("generated:linear,"));
}

TEST(CommandLine, ConfigShowNamesTheChoices) {
  const std::string shown = run({"config", "show", "kge"}).out;
  EXPECT_THAT(shown, testing::ContainsRegex("\nmodel +complex +built-in +how a fact is scored: "
                                            "complex, distmult, transe, rescal\n"));
  EXPECT_THAT(shown, testing::ContainsRegex("\nplacement .*: intent, intent_plain, "));
  EXPECT_THAT(shown, Not(HasSubstr(" \n")));
}

TEST(CommandLine, BadValuesAreUsageErrors) {
  for (const char* epochs : {"0", "many", "-3"}) {
    const Outcome outcome = run({"demo", "--epochs", epochs});
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("epochs is ")));
  }
  EXPECT_EQ(run({"demo", "--nodes", "0"}).code, kExitUsage);
}

TEST(CommandLine, LaunchNeedsANumberAndAProgram) {
  EXPECT_THAT(run({"launch", "true"}).err, HasSubstr("--nodes is required"));
  EXPECT_THAT(run({"launch", "-n", "2"}).err, HasSubstr("no command given"));
  EXPECT_THAT(run({"launch", "-n", "2", "--"}).err, HasSubstr("no command given"));
  EXPECT_THAT(run({"launch", "-n", "0", "true"}).err, HasSubstr("1 to 4096"));
  EXPECT_THAT(run({"launch", "-n", "-3", "true"}).err, HasSubstr("1 to 4096"));
  EXPECT_THAT(run({"launch", "-n", "4097", "true"}).err, HasSubstr("1 to 4096"));
  EXPECT_THAT(run({"launch", "-n", "many", "true"}).err, HasSubstr("many"));
  EXPECT_THAT(run({"launch", "-n2", "--wings", "true"}).err, HasSubstr("--wings"));
  EXPECT_THAT(run({"launch", "-n", "2", "no-such-program"}).err, HasSubstr("no-such-program"));
  EXPECT_EQ(run({"launch", "-n", "2", "no-such-program"}).code, kExitUsage);
  EXPECT_EQ(run({"launch", "-n", "2"}).code, kExitUsage);
  EXPECT_EQ(run({"launch", "-n"}).code, kExitUsage);
}

TEST(CommandLine, LaunchOptionsOfGroupsNeedGroups) {
  EXPECT_THAT(run({"launch", "--groups", "2", "-n", "2", "true"}).err,
              HasSubstr("--nodes N is the number of table nodes"));
  EXPECT_THAT(run({"launch", "--restarts", "2", "-n", "2", "true"}).err,
              HasSubstr("need --groups"));
  EXPECT_THAT(run({"launch", "--nodes", "2", "-n", "2", "true"}).err, HasSubstr("give one"));
  EXPECT_THAT(run({"launch", "--groups", "2", "--mpi", "lam", "true"}).err, HasSubstr("'lam'"));
  EXPECT_THAT(run({"launch", "--groups", "0", "true"}).err, HasSubstr("at least one of each"));
  EXPECT_EQ(run({"launch", "--groups", "0", "true"}).code, kExitUsage);
}

TEST(CommandLine, TheOptionsOfALaunchedProgramAreItsOwn) {
  using Words = std::vector<std::string>;
  const auto cut = [](Words arguments) {
    const Words command = cut_launch_command(arguments);
    return std::pair(arguments, command);
  };
  EXPECT_EQ(cut({"launch", "-n", "2", "a", "-n", "3", "--", "b"}),
            std::pair(Words({"launch", "-n", "2"}), Words({"a", "-n", "3", "--", "b"})));
  EXPECT_EQ(
      cut({"launch", "-n2", "--log-dir", "x", "--quiet", "--", "--a", "--", "b"}),
      std::pair(Words({"launch", "-n2", "--log-dir", "x", "--quiet"}), Words({"--a", "--", "b"})));
  EXPECT_EQ(cut({"launch", "-n"}), std::pair(Words({"launch", "-n"}), Words()));
  EXPECT_EQ(cut({"launch"}), std::pair(Words({"launch"}), Words()));
}

TEST(CommandLine, LaunchHandsOnTheExitCode) {
  EXPECT_EQ(run({"launch", "--no-logs", "--quiet", "-n", "2", "true"}).code, kExitOk);
  const Outcome outcome = run({"launch", "--no-logs", "-n", "1", "--", "sh", "-c", "exit 42"});
  EXPECT_EQ(outcome.code, 42);
  EXPECT_THAT(outcome.err, HasSubstr("node 0 exited with code 42"));
}

TEST(CommandLine, StatusNeedsAJob) {
  const Outcome outcome = run({"status", "--job", "no-such-job"});
  EXPECT_EQ(outcome.code, kExitFailed);
  EXPECT_THAT(outcome.err, HasSubstr("runs here"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(run({"status", "--watch", "0"}).code, kExitUsage);
  EXPECT_EQ(run({"status", "--watch", "soon"}).code, kExitUsage);
  EXPECT_EQ(run({"status", "--watch", "1", "--key", "t:1"}).code, kExitUsage);
  EXPECT_EQ(run({"status", "--key", "t"}).code, kExitUsage);
  EXPECT_EQ(run({"status", "--wings"}).code, kExitUsage);
}

TEST(CommandLine, TheDoctorSpeaksTableAndJson) {
  EXPECT_THAT(run({"doctor"}).out, HasSubstr("loopback"));
  EXPECT_THAT(run({"doctor", "--json"}).out, HasSubstr(R"({"name":"cpu","health":")"));
  EXPECT_THAT(run({"doctor", "--place"}).out, HasSubstr(R"("node":0)"));
}

TEST(CommandLine, RunsThatThereAreNotAreUsageErrors) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"eval", "no-such-run"},
        {"eval", "no-such-run", "--split", "train"},
        {"query", "no-such-run", "similar", "x"},
        {"query", "no-such-run"},
        {"query", "no-such-run", "similar", "x", "-n", "0"},
        {"export", "no-such-run", "--format", "npy"},
        {"export", "no-such-run"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitUsage) << arguments.back();
    EXPECT_NE(outcome.err, "");
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_THAT(run({"query", "no-such-run", "similar", "x"}).err, HasSubstr("no run 'no-such-run'"));
  EXPECT_THAT(run({"query", "--help"}).out, HasSubstr("analogy A B C"));
  EXPECT_THAT(run({"export", "--help"}).out, HasSubstr("tb-projector"));
}

TEST(CommandLine, SeedsPassAndTheCanaryDoesNot) {
  EXPECT_EQ(run({"sim", "--seeds", "1..20"}).code, kExitOk);
  EXPECT_THAT(run({"sim", "--seeds", "1..20"}).out, HasSubstr("20 seeds"));
  EXPECT_THAT(run({"sim", "--seeds", "7", "--json"}).out, HasSubstr("{\"seed\":7,\"ok\":true"));
  const Outcome canary = run({"sim", "--seeds", "7", "--canary"});
  EXPECT_EQ(canary.code, kExitFailed);
  EXPECT_THAT(canary.err, HasSubstr("replay: godwit sim --seeds 7 --canary"));
  EXPECT_EQ(run({"sim", "--clocks", "--seeds", "1..20"}).code, kExitOk);
  EXPECT_EQ(run({"sim", "--steps", "--seeds", "1..20"}).code, kExitOk);
  EXPECT_THAT(run({"sim", "--steps", "--seeds", "7", "--canary"}).err,
              HasSubstr("replay: godwit sim --seeds 7 --steps --canary"));
  EXPECT_EQ(run({"sim", "--steps", "--clocks"}).code, kExitUsage);
  EXPECT_THAT(run({"sim", "--canary", "--first-failure", "--seeds", "7..9"}).out,
              HasSubstr("1 seeds"));
  const Outcome late = run({"sim", "--clocks", "--seeds", "7", "--canary"});
  EXPECT_EQ(late.code, kExitFailed);
  EXPECT_THAT(late.err, HasSubstr("replay: godwit sim --seeds 7 --clocks --canary"));
  for (const char* seeds : {"", "x", "5..1", "1..", "-3"}) {
    EXPECT_EQ(run({"sim", std::string("--seeds=") + seeds}).code, kExitUsage) << seeds;
  }
}

TEST(CommandLine, SimPaceComparesWaysToWait) {
  const Outcome outcome = run(
      {"sim", "pace", "--quick", "--seeds", "1", "--law", "J,F", "--policies", "fixed:40,auto"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_THAT(outcome.out, HasSubstr("law J: exponential, even curvature; 1 seed"));
  EXPECT_THAT(outcome.out, HasSubstr("law F: Pareto 1.5"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("fixed:40 .*\nauto "));
  EXPECT_THAT(outcome.err, HasSubstr("law F, seed 1 of 1"));
  const Outcome json =
      run({"sim", "pace", "--quick", "--seeds", "2", "--law", "J", "--policies", "auto", "--json"});
  EXPECT_THAT(json.out, HasSubstr("{\"law\":\"J\",\"policy\":\"auto\",\"seed\":2,"));
  EXPECT_THAT(json.out, Not(HasSubstr("law J")));
}

TEST(CommandLine, SimPaceNamesWhatItKnows) {
  EXPECT_THAT(run({"sim", "pace", "--law", "A,Z"}).err, HasSubstr("no law 'Z'"));
  EXPECT_THAT(run({"sim", "pace", "--law", "Z"}).err, HasSubstr("F  Pareto 1.5"));
  EXPECT_THAT(run({"sim", "pace", "--policies", "atuo"}).err, HasSubstr("did you mean 'auto'"));
  EXPECT_THAT(run({"sim", "pace", "--policies", "fixed:51"}).err, HasSubstr("from 1 to 50"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--law", "Z"},
                                                {"--policies", "fixed:0"},
                                                {"--seeds", "0"},
                                                {"--plot", "/no/such/directory/plot.svg"},
                                                {"--fast"}}) {
    std::vector<std::string> arguments{"sim", "pace"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_EQ(run(arguments).code, kExitUsage) << words[0];
  }
  EXPECT_THAT(run({"sim", "pase"}).err, HasSubstr("'pase'"));
}

TEST(CommandLine, AnOptionInThePlaceOfACommandIsNamed) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_command_line({"--nope"}, out, err), kExitUsage);
  EXPECT_THAT(err.str(), HasSubstr("has no option '--nope'; it needs one of: "));
}

TEST(CommandLine, WhatTheBenchOfPlacementCannotDoIsRefusedBeforeItRuns) {
  const std::vector<std::vector<std::string>> wrong = {{"--nodes", "2"},
                                                       {"--pattern", "nope"},
                                                       {"--pattern", "kge", "--policy", "nope"},
                                                       {"--pattern", "kge", "--batch", "0"},
                                                       {"--pattern", "kge", "--nodes", "0"},
                                                       {"--pattern", "kge", "--link", "1 parsec"}};
  for (const auto& flags : wrong) {
    std::vector<std::string> arguments = {"bench", "placement"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_command_line(arguments, out, err), kExitUsage) << err.str();
    EXPECT_EQ(out.str(), "");
    EXPECT_NE(err.str(), "");
  }
}

}  // namespace
}  // namespace godwit
