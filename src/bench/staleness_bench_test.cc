// bench/staleness_bench_test.cc: the benchmark learns, and says how long it took.
#include "bench/staleness_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace godwit {
namespace {

using testing::HasSubstr;

std::vector<BenchResult> run_all(const StalenessBenchOptions& options) {
  std::vector<BenchResult> results;
  run_staleness_bench(options, [&](const BenchResult& result) {
    results.push_back(result);
  }).value();
  return results;
}

double figure(const BenchResult& result, const std::string& name) {
  for (const auto& [key, value] : result.figures) {
    if (key == name) return value;
  }
  return std::nan("");
}

// Good enough, in some time that was partly waited and partly computed.
void expect_learned(const std::vector<BenchResult>& results) {
  for (const BenchResult& result : results) {
    EXPECT_GT(result.value, 0);
    EXPECT_TRUE(std::isfinite(result.value)) << result.case_name;
    EXPECT_EQ(result.limit, results[0].value) << "the best of all but auto";
    const double wait = figure(result, "wait_share");
    const double compute = figure(result, "compute_share");
    EXPECT_GT(wait, 0);
    EXPECT_GT(compute, 0);
    EXPECT_LE(wait + compute, 1);
  }
}

TEST(StalenessBench, FactorizesInEachCaseUntilItIsGoodEnough) {
  StalenessBenchOptions options;
  options.repetitions = 1;
  for (const char* text : {"bsp", "auto"}) {
    options.cases.push_back({.workers = 1,
                             .ticks = 300,
                             .step_ms = 0,
                             .objective = 0.97,
                             .straggler = Straggler::kNone,
                             .consistency = Consistency::parse(text).value()});
  }
  const std::vector<BenchResult> results = run_all(options);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].case_name, "mf/none/nodes=2x1/step=0ms/bsp");
  EXPECT_EQ(results[1].case_name, "mf/none/nodes=2x1/step=0ms/auto");
  expect_learned(results);
  for (const BenchResult& result : results) EXPECT_LE(figure(result, "rmse_at_end"), 0.97);
}

TEST(StalenessBench, FindsTopicsInEachCaseUntilItIsGoodEnough) {
  StalenessBenchOptions options;
  options.repetitions = 1;
  for (const char* text : {"bsp", "auto"}) {
    options.cases.push_back({.model = StalenessModel::kLda,
                             .workers = 1,
                             .ticks = 300,
                             .batch = 16,
                             .step_ms = 0,
                             .objective = -5.4,  // without topics: -5.8
                             .straggler = Straggler::kNone,
                             .consistency = Consistency::parse(text).value()});
  }
  const std::vector<BenchResult> results = run_all(options);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].case_name, "lda/none/nodes=2x1/step=0ms/bsp");
  EXPECT_EQ(results[1].case_name, "lda/none/nodes=2x1/step=0ms/auto");
  expect_learned(results);
  for (const BenchResult& result : results) EXPECT_GE(figure(result, "loglik_at_end"), -5.4);
}

TEST(StalenessBench, WhatCannotBeRunIsRefused) {
  StalenessBenchOptions options;
  options.cases = {{.ticks = 1'000'000}};
  const auto refused = run_staleness_bench(options, [](const BenchResult&) {});
  EXPECT_THAT(refused.error().message(), HasSubstr("a node may have 20000 batches"));
  options.cases = {{.model = StalenessModel::kLda, .nodes = 1, .workers = 3000, .ticks = 1}};
  const auto idle = run_staleness_bench(options, [](const BenchResult&) {});
  EXPECT_EQ(idle.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(idle.error().message(), HasSubstr("2048 documents"));
}

TEST(Straggler, TheSameTicksAreSlowForAll) {
  int slow = 0;
  for (std::int64_t tick = 0; tick < 1000; ++tick) {
    int slow_workers = 0;
    for (std::int64_t worker = 0; worker < 8; ++worker) {
      slow_workers += steps_of(Straggler::kTransient, 8, worker, tick) > 1 ? 1 : 0;
    }
    EXPECT_LE(slow_workers, 1);
    slow += slow_workers;
    EXPECT_EQ(steps_of(Straggler::kPermanent, 8, 0, tick) > 1, slow_workers == 1);
  }
  EXPECT_NEAR(slow, 100, 30);
}

TEST(Straggler, HasAName) {
  EXPECT_EQ(parse_straggler("permanent").value(), Straggler::kPermanent);
  EXPECT_THAT(parse_straggler("often").error().message(), HasSubstr("transient, permanent"));
}

}  // namespace
}  // namespace godwit
