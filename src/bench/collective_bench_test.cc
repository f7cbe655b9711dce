// bench/collective_bench_test.cc: how ranks are started and results are gathered, with an mpirun
// that only pretends. Real ranks are in tests/proc/group_test.py.
#include "bench/collective_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace godwit {
namespace {

// Tells its arguments as the name of a case.
constexpr const char* kMpirun = R"(#!/bin/sh
words="$*"
while [ "$1" != --rank-in ]; do shift; done
printf '%s\t2\tus\t1\t0.5\tno note\twanted\t0.95\n' "$words" > "$2/results"
[ -z "$PRETEND_FAILS" ] || { echo "no luck"; exit 3; }
)";

class CollectiveBench : public testing::Test {
 protected:
  CollectiveBench() {
    std::string path = testing::TempDir() + "collective-XXXXXX";
    folder_ = ::mkdtemp(path.data());
    options_.mpirun = folder_ + "/mpirun";
    std::ofstream(options_.mpirun) << kMpirun;
    std::filesystem::permissions(options_.mpirun, std::filesystem::perms::owner_all);
    options_.environment = {{"PATH", "/usr/bin:/bin"}};
    options_.ranks = {2, 3};
  }
  ~CollectiveBench() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  CollectiveBenchOptions options_;
};

TEST_F(CollectiveBench, RunsEachNumberOfRanksAndGathersResults) {
  options_.is_quick = true;
  std::vector<BenchResult> results;
  run_collective_bench(options_, [&](const BenchResult& r) { results.push_back(r); }).value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_THAT(results[0].case_name, testing::HasSubstr("-n 2 /"));
  EXPECT_THAT(results[1].case_name, testing::ContainsRegex("-n 3 .*--quick"));
  EXPECT_EQ(results[0].ratio, 0.5);
  EXPECT_EQ(results[0].figures[0].second, 0.95);
}

TEST_F(CollectiveBench, ARankThatFailsIsToldWithItsLastWords) {
  options_.environment["PRETEND_FAILS"] = "yes";
  const auto done = run_collective_bench(options_, [](const BenchResult&) {});
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message(),
              testing::AllOf(testing::HasSubstr("2 ranks"), testing::HasSubstr("no luck")));
}

TEST(ResultLine, IsReadAsItWasWritten) {
  const BenchResult result{.bench = "collective",
                           .case_name = "2 ranks/one",
                           .value = 1.25,
                           .unit = "us",
                           .limit = 2.5,
                           .ratio = 2,
                           .note = "limit: MPI",
                           .figures = {{"of medians", 1.5}, {"wanted", 0.95}}};
  const BenchResult read = parse_result_line(to_result_line(result)).value();
  EXPECT_EQ(to_json_line(read), to_json_line(result));
  EXPECT_EQ(read.note, result.note);
  EXPECT_FALSE(parse_result_line("one\ttwo").ok());
}

}  // namespace
}  // namespace godwit
