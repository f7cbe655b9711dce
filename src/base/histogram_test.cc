// base/histogram_test.cc: the buckets, quantiles against sorting, and concurrent writers.
#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(HistogramBuckets, CoverAllNumbersWithoutGapOrOverlap) {
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < HistogramBuckets::kCount; ++i) {
    ASSERT_EQ(HistogramBuckets::lowest(i), next) << i;
    ASSERT_EQ(HistogramBuckets::index_of(HistogramBuckets::lowest(i)), i);
    ASSERT_EQ(HistogramBuckets::index_of(HistogramBuckets::highest(i)), i);
    next = HistogramBuckets::highest(i) + 1;
  }
  EXPECT_EQ(next, 0U);  // wrapped around: the last bucket ends at 2^64 - 1
}

TEST(Histogram, IsEmptyAtFirst) {
  Histogram histogram;
  histogram.make_cell();
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.count, 0U);
  EXPECT_EQ(snapshot.quantile(0.5), 0U);
}

TEST(Histogram, QuantilesAreWithinASixteenthOfTheTruth) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(seed);
    Histogram histogram;
    std::array cells = {histogram.make_cell(), histogram.make_cell()};
    std::vector<std::uint64_t> values(1 + prng.below(3000));
    std::uint64_t sum = 0;
    for (std::uint64_t& value : values) {
      value = prng.next() >> (8 + prng.below(56));
      cells.at(prng.below(2))->record(value);
      sum += value;
    }
    std::ranges::sort(values);
    const HistogramSnapshot snapshot = histogram.snapshot();
    EXPECT_EQ(snapshot.count, values.size());
    EXPECT_EQ(snapshot.sum, sum);
    EXPECT_EQ(snapshot.max, values.back());
    for (const double p : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
      const std::uint64_t truth = values.at(std::max<std::size_t>(rank, 1) - 1);
      EXPECT_GE(snapshot.quantile(p), truth) << "seed " << seed << " p " << p;
      EXPECT_LE(snapshot.quantile(p) - truth, truth / 16) << "seed " << seed << " p " << p;
    }
  }
}

TEST(Histogram, TakesTheLargestNumber) {
  Histogram histogram;
  histogram.make_cell()->record(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(histogram.snapshot().quantile(1), std::numeric_limits<std::uint64_t>::max());
}

TEST(Histogram, SnapshotsDuringWritingNeverShrinkAndTheLastIsExact) {
  constexpr std::uint64_t kEach = 20'000;
  Histogram histogram;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 3; ++i) {
      writers.emplace_back([cell = histogram.make_cell()] {
        for (std::uint64_t k = 0; k < kEach; ++k) cell->record(k);
      });
    }
    std::uint64_t last = 0;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t count = histogram.snapshot().count;
      EXPECT_GE(count, last);
      last = count;
    }
  }
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.count, 3 * kEach);
  EXPECT_EQ(snapshot.sum, 3 * (kEach * (kEach - 1) / 2));
  EXPECT_EQ(snapshot.max, kEach - 1);
}

}  // namespace
}  // namespace godwit
