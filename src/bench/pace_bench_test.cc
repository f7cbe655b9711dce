// bench/pace_bench_test.cc: cases are run and compared, with a program that only pretends to train.
#include "bench/pace_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/missed_cases.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Takes 10 s to the target with pace fixed and delays, 4 s with auto; else 2 s; ticks have no
// steps.
constexpr const char* kTrainer = R"(#!/bin/sh
echo "$*" >> "$PRETEND_LOG"
seconds=2 ; steps=yes
while [ $# -gt 1 ]; do
  case "$1" in
    --run) run="$2" ;;
    --inject) delayed=yes ;;
    --pace) pace="$2" ;;
  esac
  shift
done
[ "$delayed" = yes ] && seconds=10
[ "$delayed$pace" = yesauto ] && seconds=4
[ "$pace" = "$PRETEND_FAILS" ] && echo "no luck" && exit 3
final=${PRETEND_FINAL:-0}
[ "$delayed$pace" = yesauto ] && final=${PRETEND_FINAL_AUTO:-$final}
mkdir -p "$run" || exit 1
cat > "$run/metrics.jsonl" <<END
{"event":"start"}
{"seconds":1,"epoch":1,"split":"valid","rmse":0.1}
{"seconds":0,"epoch":1,"split":"test","rmse":2,"noise_floor":0.1}
{"seconds":$((2 * seconds)),"epoch":2,"split":"test","rmse":$final,"noise_floor":0.1}
{"seconds":$((2 * seconds)),"rmse":$final,"train_seconds":$seconds,"final":true}
END
[ "$pace" = off ] && exit 0
cat > "$run/steps.csv" <<END
j,used,late_dropped,reason,assigned
1,2,1,fixed,30
2,2,0,fixed,30
END
)";

class PaceBench : public testing::Test {
 protected:
  PaceBench() {
    namespace fs = std::filesystem;
    options_ = PaceBenchOptions::quick();
    options_.program = files_.write("trainer", kTrainer);
    fs::permissions(options_.program, fs::perms::owner_all);
    options_.target = 1;
    options_.environment = {
        {"PATH", "/usr/bin:/bin"}, {"TMPDIR", files_.dir()}, {"PRETEND_LOG", files_.path("log")}};
  }

  Result<> run() {
    return run_pace_bench(options_, [&](const BenchResult& result) { results_.push_back(result); });
  }
  static double figure(const BenchResult& result, const std::string& name) {
    return std::map<std::string, double>(result.figures.begin(), result.figures.end()).at(name);
  }

  const OwnFiles files_;
  PaceBenchOptions options_;
  std::vector<BenchResult> results_;
};

TEST_F(PaceBench, ComparesWithWaitingForAll) {
  options_.seeds = 2;
  options_.calm_seeds = 3;
  std::vector<std::string> said;
  options_.on_run = [&](const std::string& text) { said.push_back(text); };
  run().value();
  ASSERT_EQ(said.size(), 13U);
  EXPECT_THAT(said[1], HasSubstr("delays/auto, seed 1: rmse 1 after 4.0 s, "));
  std::ifstream log(files_.path("log"));
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(log), {}, '\n'), 2 * 2 + 3 * 3);
  std::vector<std::string> names;
  for (const BenchResult& result : results_) names.push_back(result.case_name);
  ASSERT_THAT(names, ElementsAre("delays/all", "delays/auto", "calm/all", "calm/auto", "calm/off",
                                 "calm/steps"));
  EXPECT_EQ(results_[0].value, 10);
  EXPECT_EQ(results_[1].value, 4);
  EXPECT_EQ(results_[1].limit, 10);
  EXPECT_EQ(results_[1].ratio, 2.5);
  EXPECT_EQ(results_[4].ratio, 1);
  EXPECT_EQ(figure(results_[1], "steps"), 2);
  EXPECT_EQ(figure(results_[1], "gradients"), 60);
  EXPECT_EQ(figure(results_[1], "results"), 5);
  EXPECT_EQ(figure(results_[1], "final"), 0);
  EXPECT_EQ(results_[5].value, 1) << "steps a second";
  EXPECT_EQ(results_[5].ratio, 1);
  EXPECT_FALSE(std::filesystem::exists(files_.path("0"))) << "in a directory of its own";
}

TEST_F(PaceBench, TheEndMustNotBeWorse) {
  options_.is_larger_better = true;
  options_.target = 2.5;
  options_.seeds = 2;
  options_.environment.emplace("PRETEND_FINAL", "4");
  for (const auto& [final_auto, missed] : {std::pair("3.996", 0U), std::pair("3.994", 1U)}) {
    options_.environment.insert_or_assign("PRETEND_FINAL_AUTO", final_auto);
    results_.clear();
    run().value();
    ASSERT_EQ(results_[results_.size() - 2].case_name, "delays/final");
    EXPECT_EQ(results_[results_.size() - 2].limit, 4);
    EXPECT_EQ(figure(results_[0], "slowest_s"), results_[0].value);
    EXPECT_EQ(figure(results_[0], "fastest_s"), results_[0].value);
    const std::vector<BenchResult> end{results_[results_.size() - 2]};
    EXPECT_EQ(missed_cases(end).size(), missed);
  }
}

TEST_F(PaceBench, ATargetThatIsNotReachedIsSaid) {
  options_.target = -1;
  run().value();
  EXPECT_EQ(results_[0].value, 0);
  EXPECT_EQ(results_[1].ratio, 0);
  EXPECT_THAT(results_[1].note, HasSubstr("not in 4 epochs"));
}

TEST_F(PaceBench, WhatCannotBeRunIsSaid) {
  options_.environment.emplace("PRETEND_FAILS", "auto");
  const auto failed = run();
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("no luck"));
  EXPECT_EQ(results_.size(), 1U);
  options_.seeds = 0;
  EXPECT_EQ(run().error().code(), ErrorCode::kInvalidArgument);
  options_ = PaceBenchOptions::full();
  options_.catalog.fashion_mnist_dir = files_.path("none");
  const auto missing = run();
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message(), HasSubstr("fashion-mnist"));
}

}  // namespace
}  // namespace godwit
