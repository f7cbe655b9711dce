// bench/train_bench_test.cc: which cases are kept, and what is said of those that cannot be run.
#include "bench/train_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(TrainBench, PartsHaveNames) {
  EXPECT_EQ(parse_train_part("tax").value(), TrainPart::kTax);
  EXPECT_EQ(parse_train_part("scaling").value(), TrainPart::kScaling);
  EXPECT_EQ(parse_train_part("peers").value(), TrainPart::kPeers);
  EXPECT_THAT(parse_train_part("taxes").error().message(), HasSubstr("tax, scaling, peers"));
}

TEST(TrainBench, KeepsWhatWasAskedFor) {
  for (TrainBenchOptions options : {TrainBenchOptions::full(), TrainBenchOptions::quick()}) {
    EXPECT_EQ(options.tax.size(), 4U);
    EXPECT_EQ(options.scaled.size(), 6U);
    EXPECT_EQ(options.peers.size(), 1U);
    TrainBenchOptions of_mf = options;
    of_mf.keep_task("mf").value();
    EXPECT_EQ(of_mf.tax.size(), 2U);
    EXPECT_EQ(of_mf.scaled.size(), 1U);
    EXPECT_TRUE(of_mf.peers.empty());
    EXPECT_FALSE(of_mf.keep_task("mmf").ok());
    options.keep(TrainPart::kTax);
    EXPECT_TRUE(options.scaled.empty());
    EXPECT_TRUE(options.peers.empty());
    options.set_repetitions(9);
    EXPECT_EQ(options.tax[0].repetitions, 9U);
    EXPECT_THAT(options.keep_task("lda").error().message(), HasSubstr("mf, w2v, kge"));
  }
}

TEST(TrainBench, WithoutDataACaseIsLeftOut) {
  TrainBenchOptions options;
  options.tax = {{"kge", "kge/rank=64", {"wn18rr"}, {}}};
  options.scaled = {{"w2v", "simplewiki8", {}}};
  options.peers = {{.data = {"simplewiki8"}}};
  std::vector<BenchResult> results;
  run_train_bench(options, [&](const BenchResult& result) { results.push_back(result); }).value();
  ASSERT_EQ(results.size(), 3U);
  for (const BenchResult& result : results) {
    EXPECT_EQ(result.value, 0);
    EXPECT_THAT(result.note, HasSubstr("left out"));
    EXPECT_THAT(result.note, HasSubstr("GODWIT_DATA"));
  }
  options.scaled = {{"w2v", "simplewiki8", {"rnak=2"}}};
  EXPECT_FALSE(run_train_bench(options, [](const BenchResult&) {}).ok());
}

TEST(TrainBench, RunsItsParts) {
  TrainBenchOptions options;
  const char* const ratings = "generated:lowrank,rows=200,columns=100,ratings=5000,held_out=50";
  options.tax = {{"mf", "mf/tiny", {ratings}, {}}};
  options.scaled = {{"mf", ratings, {"epochs=2"}}};
  options.scaling = {.shapes = {{1, 1}}, .repetitions = 1};
  std::vector<std::string> names;
  run_train_bench(options, [&](const BenchResult& result) {
    names.push_back(result.case_name);
  }).value();
  EXPECT_THAT(names, testing::ElementsAre("tax/mf/tiny", "scaling/mf/nodes=1x1"));
}

}  // namespace
}  // namespace godwit
