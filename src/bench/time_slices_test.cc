// bench/time_slices_test.cc: every variant runs as often as it says, with fresh slices.
#include "bench/time_slices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

namespace godwit {
namespace {

TEST(TimeSlices, VariantsTakeTurnsOnFreshSlices) {
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  std::size_t next = 7;
  const auto best = best_times({[&](std::size_t, std::size_t slice) { first.push_back(slice); },
                                [&](std::size_t, std::size_t slice) { second.push_back(slice); }},
                               {.threads = 1, .repetitions = 3, .seconds_min = 0}, &next);
  EXPECT_EQ(first, (std::vector<std::size_t>{7, 9, 11}));
  EXPECT_EQ(second, (std::vector<std::size_t>{8, 10, 12}));
  EXPECT_EQ(next, 13u);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_GE(best[0], 0);
  EXPECT_LT(best[0], 1);
}

TEST(TimeSlices, EachThreadRunsEachSlice) {
  std::atomic<int> runs{0};
  std::atomic<int> thread_sum{0};
  std::size_t next = 0;
  best_times({[&](std::size_t thread, std::size_t) {
               ++runs;
               thread_sum += static_cast<int>(thread);
             }},
             {.threads = 3, .repetitions = 4, .seconds_min = 0}, &next);
  EXPECT_EQ(runs, 12);
  EXPECT_EQ(thread_sum, 12);
}

}  // namespace
}  // namespace godwit
