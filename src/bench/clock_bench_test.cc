// bench/clock_bench_test.cc: the benchmark runs, checks and names what it ran.
#include "bench/clock_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ClockBench, RunsEachCaseAndSaysHowLongWorkersWaited) {
  ClockBenchOptions options;
  options.repetitions = 1;
  for (const Straggler straggler : {Straggler::kNone, Straggler::kSlowWorker}) {
    options.cases.push_back({.workers = 1,
                             .ticks = 20,
                             .rows = 8,
                             .step_ms = 1,
                             .straggler = straggler,
                             .consistency = {.kind = ConsistencyKind::kSsp, .staleness = 0}});
  }
  std::vector<BenchResult> results;
  run_clock_bench(options, [&](const BenchResult& result) { results.push_back(result); }).value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].case_name, "none/nodes=2x1/rows=8/step=1ms/ssp:0");
  EXPECT_EQ(results[1].case_name, "slow_worker/nodes=2x1/rows=8/step=1ms/ssp:0");
  EXPECT_DOUBLE_EQ(results[1].limit, 3000);
  EXPECT_GE(results[1].value, 3000) << "nobody is faster than the slowest";
  EXPECT_GT(results[1].figures[1].second, 0.2) << "half of the workers wait for most of the time";
}

TEST(ClockBench, WhatCannotBeRunIsRefused) {
  ClockBenchOptions options;
  options.cases = {{.workers = 0}};
  EXPECT_FALSE(run_clock_bench(options, [](const BenchResult&) {}).ok());
}

}  // namespace
}  // namespace godwit
