// bench/store_bench_test.cc: the benchmark at toy size: it runs, verifies, and names its cases.
#include "bench/store_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/store_fixture.h"

namespace godwit {
namespace {

StoreBenchOptions tiny(std::vector<std::size_t> threads) {
  StoreBenchOptions options;
  options.cases = {{5, 1000, KeyDraw::kUniform}, {16, 1000, KeyDraw::kZipf}};
  options.threads = std::move(threads);
  options.batch = 64;
  options.batches_per_slice = 4;
  options.slices = 3;
  options.repetitions = 5;
  options.seconds_per_measurement = 0;
  return options;
}

TEST(StoreBench, RunsAndVerifiesEveryCase) {
  std::vector<std::string> names;
  run_store_bench(tiny({1}), [&](const BenchResult& result) {
    names.push_back(result.case_name);
    EXPECT_EQ(result.bench, "store");
    EXPECT_GT(result.ratio, 0) << result.case_name;
  }).value();
  EXPECT_THAT(names, testing::IsSupersetOf({"pull/len=5/rows=1K/keys=uniform/threads=1",
                                            "push/len=5/rows=1K/keys=uniform/threads=1",
                                            "rows-racy/len=16/rows=1K/keys=zipf/threads=1",
                                            "rows-locked/len=16/rows=1K/keys=zipf/threads=1"}));
}

TEST(StoreFixture, ALostUpdateIsFound) {
  const StoreBenchOptions options = tiny({1});
  const auto fixture = StoreFixture::make(options, options.cases[0]).value();
  EXPECT_TRUE(fixture->verify(false).ok());
  fixture->count_pushes(1, 0);  // counted, but nobody pushed
  const auto verdict = fixture->verify(false);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code(), ErrorCode::kCorruption);
  EXPECT_TRUE(fixture->verify(true).ok()) << "a racy run may lose updates; rows are set right";
  EXPECT_TRUE(fixture->verify(false).ok());
}

}  // namespace
}  // namespace godwit
