// bench/staleness_bench_test.cc: the benchmark learns, and says how long it took.
#include "bench/staleness_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(StalenessBench, RunsEachCaseUntilItIsGoodEnough) {
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
  std::vector<BenchResult> results;
  run_staleness_bench(options, [&](const BenchResult& result) {
    results.push_back(result);
  }).value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].case_name, "mf/none/nodes=2x1/step=0ms/bsp");
  EXPECT_EQ(results[1].case_name, "mf/none/nodes=2x1/step=0ms/auto");
  for (const BenchResult& result : results) {
    EXPECT_GT(result.value, 0);
    EXPECT_TRUE(std::isfinite(result.value));
    EXPECT_EQ(result.limit, results[0].value) << "the best of all but auto";
  }
}

TEST(StalenessBench, WhatCannotBeRunIsRefused) {
  StalenessBenchOptions options;
  options.cases = {{.ticks = 1'000'000}};
  const auto refused = run_staleness_bench(options, [](const BenchResult&) {});
  EXPECT_THAT(refused.error().message(), HasSubstr("a node may have 20000 batches"));
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
