// bench/key_stream_test.cc: the draws have the frequencies they claim.
#include "bench/key_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace godwit {
namespace {

std::vector<int> sorted_counts(KeyDraw draw) {
  std::vector<int> counts(100);
  for (const Key key : draw_keys(draw, 100, 200'000, 1)) ++counts.at(key);
  std::sort(counts.rbegin(), counts.rend());
  return counts;
}

TEST(KeyStream, ShufflingKeepsEveryKeyOnce) {
  std::vector<Key> keys = shuffled_keys(1000, 3);
  EXPECT_FALSE(std::is_sorted(keys.begin(), keys.end()));
  std::sort(keys.begin(), keys.end());
  for (Key key = 0; key < 1000; ++key) ASSERT_EQ(keys[key], key);
}

TEST(KeyStream, UniformKeysAreEquallyFrequent) {
  const auto counts = sorted_counts(KeyDraw::kUniform);
  EXPECT_LT(counts.front(), 2250);
  EXPECT_GT(counts.back(), 1750);
}

TEST(KeyStream, ZipfFrequenciesFallAsOneOverRank) {
  const auto counts = sorted_counts(KeyDraw::kZipf);
  const double first = 200'000 / 5.18738;  // the 100th harmonic number
  EXPECT_NEAR(counts[0], first, first * 0.05);
  EXPECT_NEAR(counts[1], first / 2, first / 2 * 0.05);
  EXPECT_NEAR(counts[9], first / 10, first / 10 * 0.1);
}

}  // namespace
}  // namespace godwit
