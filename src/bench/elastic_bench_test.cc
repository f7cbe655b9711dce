// bench/elastic_bench_test.cc: cases are run and compared, with a program that only pretends to
// train; and the network is made and taken down, where that is allowed.
#include "bench/elastic_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/missed_cases.h"
#include "bench/shaped_network.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 10 s to the target, with mode elastic 2 s or what is said; an exchange a step, then every 4.
constexpr const char* kTrainer = R"(#!/bin/sh
echo "$*" >> "$PRETEND_LOG"
while [ $# -gt 1 ]; do
  case "$1" in
    --run) run="$2" ;;
    --mode) mode="$2" ;;
    --groups) groups="$2" ;;
  esac
  shift
done
[ "$mode" = "$PRETEND_FAILS" ] && echo "no luck" && exit 3
seconds=10 ; exchanges=40 ; bytes=8000 ; end=0.5
[ "$groups" = 4 ] && bytes=16000
if [ "$mode" = elastic ]; then
  seconds=${PRETEND_SECONDS:-2} ; exchanges=10 ; bytes=${PRETEND_BYTES:-2000}
  end=${PRETEND_END:-0.5}
fi
mkdir -p "$run" || exit 1
cat > "$run/metrics.jsonl" <<END
{"seconds":0,"epoch":1,"split":"test","rmse":1.5}
{"seconds":$((2 * seconds)),"epoch":2,"split":"test","rmse":$end}
END
cat > "$run/groups.csv" <<END
seconds,group,samples,steps,exchanges,exchange_seconds,train_seconds,sent_bytes
$seconds,0,160,40,$exchanges,1,10,$bytes
END
)";

class ElasticBench : public testing::Test {
 protected:
  ElasticBench() {
    options_ = ElasticBenchOptions::quick();
    options_.program = files_.write("trainer", kTrainer);
    std::filesystem::permissions(options_.program, std::filesystem::perms::owner_all);
    options_.target = 1;
    options_.ranks = 4;
    options_.environment = {{"PATH", "/usr/bin:/bin"}, {"PRETEND_LOG", files_.path("log")}};
  }
  Result<> run() {
    return run_elastic_bench(options_, [&](const BenchResult& r) { results_.push_back(r); });
  }

  const OwnFiles files_;
  ElasticBenchOptions options_;
  std::vector<BenchResult> results_;
};

TEST_F(ElasticBench, ComparesTimesWithSyncAndBytesWithRanksThatAreAlone) {
  options_.picture = files_.path("plot.svg");
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(results_.size(), 2u);
  EXPECT_EQ(results_[0].case_name, "sync/groups=2x2");
  EXPECT_EQ(results_[0].ratio, 1);
  EXPECT_EQ(results_[1].value, 2);
  EXPECT_EQ(results_[1].ratio, 5);
  const auto figure = [&](const std::string& name) {
    for (const auto& [key, value] : results_[1].figures) {
      if (key == name) return value;
    }
    return -1.0;
  };
  EXPECT_EQ(figure("every"), 4);
  EXPECT_EQ(figure("bytes_less"), 8);
  EXPECT_EQ(figure("of_ranks_x_every"), 1);
  EXPECT_TRUE(std::filesystem::exists(options_.picture));
  std::ifstream log(files_.path("log"));
  std::string first;
  std::getline(log, first);
  EXPECT_THAT(first, HasSubstr("--groups 4 --ranks-per-group 1 --mode async --epochs 1"));
}

TEST_F(ElasticBench, WhatIsWantedIsJudgedByTimeBytesAndTheEnd) {
  options_.modes[1].wanted = 3;
  options_.environment["PRETEND_END"] = "0.504";
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(results_.size(), 4u);
  EXPECT_EQ(results_[2].case_name, "elastic/groups=2x2/bytes");
  EXPECT_EQ(results_[2].ratio, 1);
  EXPECT_EQ(results_[3].limit, 0.5);
  EXPECT_EQ(count_wanted(results_), 3u);
  EXPECT_THAT(missed_cases(results_), IsEmpty());
  options_.environment["PRETEND_SECONDS"] = "4";
  options_.environment["PRETEND_BYTES"] = "2300";
  options_.environment["PRETEND_END"] = "0.506";
  results_.clear();
  ASSERT_TRUE(run().ok());
  EXPECT_THAT(missed_cases(results_),
              ElementsAre(HasSubstr("elastic/groups=2x2: the ratio is 2.485"),
                          HasSubstr("elastic/groups=2x2/bytes: the ratio is 0.86957"),
                          HasSubstr("elastic/groups=2x2/final: ")));
}

TEST_F(ElasticBench, AnAccuracyMayBeLessByALittle) {
  options_.is_larger_better = true;
  options_.target = 0.4;
  options_.modes[1].wanted = 0.1;
  for (const auto& [end, is_met] : {std::pair("0.496", true), std::pair("0.494", false)}) {
    options_.environment["PRETEND_END"] = end;
    results_.clear();
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(results_.back().case_name, "elastic/groups=2x2/final");
    EXPECT_EQ(missed_cases({results_.back()}).empty(), is_met) << end;
  }
}

TEST_F(ElasticBench, OfTheUsualOnesElasticAndOuterAreToBeThreeTimesAsFast) {
  for (const auto& mode : ElasticBenchOptions::full().modes) {
    const bool is_rare = mode.name == "elastic" || mode.name == "outer";
    EXPECT_EQ(mode.wanted, is_rare ? 3 : 0) << mode.name;
  }
}

TEST_F(ElasticBench, AFailureIsSaidWithItsLastWords) {
  options_.environment["PRETEND_FAILS"] = "elastic";
  const auto done = run();
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message(), HasSubstr("no luck"));
  EXPECT_EQ(results_.size(), 1u);
}

TEST_F(ElasticBench, WhatMakesNoSenseIsRefused) {
  options_.groups = {3};
  EXPECT_THAT(run().error().message(), HasSubstr("4 ranks do not make 3 groups"));
  options_.groups = {2};
  options_.modes = {{"elastic", {}}};
  EXPECT_THAT(run().error().message(), HasSubstr("must be sync"));
  EXPECT_TRUE(results_.empty());
}

TEST(ShapedNetwork, IsTakenDownAgain) {
  const SignalIntake signals;
  const Environment environment{{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};
  std::string word;
  {
    auto network = ShapedNetwork::make(2, "100mbit", environment, signals);
    if (!network.ok()) GTEST_SKIP() << network.error().message();
    word = (*network)->in_the_middle().back();
    EXPECT_TRUE(std::filesystem::exists("/run/netns/" + word));
  }
  EXPECT_FALSE(std::filesystem::exists("/run/netns/" + word));
}

}  // namespace
}  // namespace godwit
