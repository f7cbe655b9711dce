// bench/placement_bench_test.cc: every pattern under every policy at toy size, verified rows.
#include "bench/placement_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/placement_run.h"

namespace godwit {
namespace {

PlacementCase tiny(PatternKind kind) {
  return {.pattern = {.kind = kind, .nodes = 2, .workers = 1, .batch = 4, .scale = 0.01},
          .warm_steps = 20,
          .steps = 40,
          .ahead = 5};
}

class TinyRuns : public testing::TestWithParam<std::tuple<PatternKind, Placement>> {};

TEST_P(TinyRuns, RowsHoldWhatWasAdded) {
  const auto [kind, policy] = GetParam();
  PlacementJob job(tiny(kind));
  const PlacementFigures run = job.run(policy).value();
  EXPECT_GT(run.step_seconds, 0);
  EXPECT_GE(run.ready_share, 0);
  EXPECT_LE(run.ready_share, 1);
  EXPECT_GT(run.cpu_ns_per_key, 0);
  EXPECT_GE(run.access_p99_us, run.access_p50_us);
  if (kind != PatternKind::kResident) {
    EXPECT_GT(run.bytes_per_step, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(PlacementBench, TinyRuns,
                         testing::Combine(testing::Values(PatternKind::kMf, PatternKind::kMfBlocks,
                                                          PatternKind::kKge, PatternKind::kStream,
                                                          PatternKind::kReuse,
                                                          PatternKind::kResident),
                                          testing::ValuesIn(all_policies())),
                         [](const auto& run) {
                           return to_string(std::get<0>(run.param)) + "_" +
                                  to_string(std::get<1>(run.param));
                         });

TEST(PlacementBench, AMissingTouchIsCorruption) {
  PlacementCase that = tiny(PatternKind::kReuse);
  that.pattern.nodes = 1;
  const auto pattern = make_pattern(that.pattern);
  const Trace trace(*pattern, that.pattern, that.traced_steps());
  auto touches = trace.touches(pattern->rows(), that.warm_steps + that.steps);
  const SessionOptions alone{.nodes = 1};
  const auto run = [&] {
    return run_placement_node(that, Placement::kIntent, *pattern, trace, touches, alone);
  };
  EXPECT_TRUE(run().is_ok);
  ++touches[trace.keys(0, 0, 0)[0]];
  const PlacementNodeReport report = run();
  EXPECT_FALSE(report.is_ok);
  EXPECT_EQ(report.code, ErrorCode::kCorruption);
  EXPECT_THAT(report.message.data(), testing::HasSubstr("was touched"));
  that.access = Access::kRacy;  // may lose some
  EXPECT_TRUE(run().is_ok);
}

TEST(PlacementBench, SeveralWorkersAndUnopenedLeases) {
  PlacementCase that = tiny(PatternKind::kMf);
  that.pattern.workers = 2;
  that.compute_ms = 0.01;
  EXPECT_GT(PlacementJob(that).run(Placement::kIntent)->step_seconds, 1e-5);
  that.opens = false;
  EXPECT_EQ(PlacementJob(that).run(Placement::kIntent)->ready_share, 1);
}

TEST(PlacementBench, ComparesWithStaticAndWithTheFastest) {
  PlacementBenchOptions options;
  options.cases = {tiny(PatternKind::kReuse)};
  options.policies = {Placement::kIntent, Placement::kStatic};
  std::vector<BenchResult> results;
  run_placement_bench(options, [&](const BenchResult& result) {
    results.push_back(result);
  }).value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].case_name, "reuse/batch=4/nodes=2x1/compute=0ms/ahead=5/policy=static");
  EXPECT_EQ(results[1].figures.front(), (std::pair<std::string, double>{"x_static", 1}));
  EXPECT_EQ(std::max(results[0].ratio, results[1].ratio), 1);
}

TEST(PlacementBench, ComparesEarlierIntentsOneProcessAndResidentRows) {
  PlacementBenchOptions options;
  options.repetitions = 1;
  options.earlier = options.together = {tiny(PatternKind::kMf)};
  options.bounded = {tiny(PatternKind::kMf)};
  options.bounded[0].consistency = {.kind = ConsistencyKind::kSsp, .staleness = 1};
  options.resident = {tiny(PatternKind::kResident)};
  std::vector<std::string> names;
  run_placement_bench(options, [&](const BenchResult& result) {
    names.push_back(result.case_name);
    EXPECT_GT(result.value, 0);
    EXPECT_GT(result.limit, 0);
  }).value();
  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"mf/batch=4/nodes=2x1/compute=0ms/ahead=5/bytes-when-10x-earlier",
                          "mf/batch=4/nodes=2x1/compute=0ms/ahead=5/against-1x2",
                          "mf/batch=4/nodes=2x1/compute=0ms/ahead=5/ssp:1/against-async",
                          "resident/batch=4/nodes=2x1/compute=0ms/ahead=5/intend",
                          "resident/batch=4/nodes=2x1/compute=0ms/ahead=5/access/p99"}));
}

TEST(PlacementBench, CasesThatCannotBeRunAreRefused) {
  PlacementBenchOptions options;
  options.cases = {tiny(PatternKind::kKge)};
  options.cases[0].pattern.nodes = 0;
  EXPECT_FALSE(run_placement_bench(options, [](const BenchResult&) {}).ok());
  options.cases[0] = tiny(PatternKind::kKge);
  options.cases[0].link = "1 parsec";
  EXPECT_FALSE(run_placement_bench(options, [](const BenchResult&) {}).ok());
}

}  // namespace
}  // namespace godwit
