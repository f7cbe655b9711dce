// bench/patterns_test.cc: each pattern has the shape it claims.
#include "bench/patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "placement/partition_map.h"

namespace godwit {
namespace {

std::vector<Key> keys_of(const PatternOptions& options, std::int64_t node, std::int64_t worker,
                         std::uint64_t step) {
  const auto pattern = make_pattern(options);
  std::vector<Key> keys(pattern->keys_per_step());
  pattern->draw(node, worker, step, keys);
  return keys;
}

std::set<Key> set_of(const PatternOptions& options, std::int64_t node, std::uint64_t step) {
  const auto keys = keys_of(options, node, 0, step);
  return {keys.begin(), keys.end()};
}

std::size_t count_common(const std::set<Key>& a, const std::set<Key>& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](Key key) { return b.contains(key); }));
}

constexpr std::array kAll{PatternKind::kMf,     PatternKind::kMfBlocks, PatternKind::kKge,
                          PatternKind::kStream, PatternKind::kReuse,    PatternKind::kResident};

TEST(Patterns, AreFunctionsOfSeedNodeWorkerAndStep) {
  for (const PatternKind kind : kAll) {
    const PatternOptions options{.kind = kind, .nodes = 2, .workers = 2, .batch = 20};
    const auto keys = keys_of(options, 1, 1, 7);
    EXPECT_EQ(keys, keys_of(options, 1, 1, 7)) << to_string(kind);
    EXPECT_NE(keys, keys_of(options, 0, 1, 7)) << to_string(kind);
    EXPECT_NE(keys, keys_of(options, 1, 0, 7)) << to_string(kind);
    EXPECT_NE(keys, keys_of(options, 1, 1, 8)) << to_string(kind);
    const std::uint64_t rows = make_pattern(options)->rows();
    EXPECT_TRUE(std::all_of(keys.begin(), keys.end(), [&](Key key) { return key < rows; }));
    EXPECT_EQ(parse_pattern(to_string(kind)).value(), kind);
  }
  EXPECT_FALSE(parse_pattern("chess").ok());
}

TEST(Patterns, MfUsersBelongToOneWorkerAndItemsToAll) {
  const PatternOptions options{.kind = PatternKind::kMf, .batch = 30'000, .scale = 0.1};
  std::set<Key> users[2];
  std::vector<int> items(1000);
  for (const std::int64_t node : {0, 1}) {
    const auto keys = keys_of(options, node, 0, 0);
    for (std::size_t i = 0; i < keys.size(); i += 2) {
      users[node].insert(keys[i]);
      ++items.at(keys[i + 1] - 2000);
    }
  }
  EXPECT_EQ(users[0].size(), 1000U);
  EXPECT_EQ(count_common(users[0], users[1]), 0U);
  std::sort(items.rbegin(), items.rend());
  double sum = 0;  // of 1/k^0.8
  for (int k = 1; k <= 1000; ++k) sum += std::pow(k, -0.8);
  EXPECT_NEAR(items[0], 60'000 / sum, 60'000 / sum * 0.05);
}

TEST(Patterns, BlocksOfItemsRotateOverTheWorkers) {
  const PatternOptions options{.kind = PatternKind::kMfBlocks, .batch = 3000, .scale = 0.1};
  const auto block = [&](std::int64_t node, std::uint64_t step) {
    const auto keys = keys_of(options, node, 0, step);
    std::set<Key> items;
    for (std::size_t i = 1; i < keys.size(); i += 2) items.insert(keys[i]);
    return items;
  };
  EXPECT_EQ(count_common(block(0, 0), block(1, 0)), 0U);
  EXPECT_GT(count_common(block(0, 0), block(0, 249)), 480U);
  EXPECT_EQ(count_common(block(0, 0), block(0, 250)), 0U);
  EXPECT_GT(count_common(block(0, 0), block(1, 250)), 480U);
}

TEST(Patterns, KgeTriplesHaveFrequentEntitiesAndUniformNegatives) {
  const PatternOptions options{.kind = PatternKind::kKge, .batch = 10'000, .scale = 0.01};
  std::vector<int> subjects(400);
  std::vector<int> negatives(400);
  const auto keys = keys_of(options, 0, 0, 0);
  for (std::size_t i = 0; i < keys.size(); i += 13) {
    ++subjects.at(keys[i]);
    ++subjects.at(keys[i + 2]);
    EXPECT_GE(keys[i + 1], 400U);
    EXPECT_LT(keys[i + 1], 500U);
    for (std::size_t n = 3; n < 13; ++n) ++negatives.at(keys[i + n]);
  }
  std::sort(subjects.rbegin(), subjects.rend());
  EXPECT_NEAR(subjects[0], 20'000 / 6.57, 250);  // the 400th harmonic number
  EXPECT_LT(*std::max_element(negatives.begin(), negatives.end()), 340);
  EXPECT_GT(*std::min_element(negatives.begin(), negatives.end()), 170);
}

TEST(Patterns, AStreamTouchesEveryRowOnceBeforeAnyAgain) {
  const PatternOptions options{.kind = PatternKind::kStream, .batch = 50, .scale = 0.001};
  std::multiset<Key> seen;
  for (std::uint64_t step = 0; step < 10; ++step) {
    for (const std::int64_t node : {0, 1}) {
      for (const Key key : keys_of(options, node, 0, step)) seen.insert(key);
    }
  }
  ASSERT_EQ(seen.size(), 1000U);
  for (Key key = 0; key < 1000; ++key) ASSERT_EQ(seen.count(key), 1U) << key;
}

TEST(Patterns, AWorkingSetChangesByOnePercentAStepAndATenthIsShared) {
  const PatternOptions options{.kind = PatternKind::kReuse, .batch = 60'000};
  const auto now = set_of(options, 0, 500);
  EXPECT_NEAR(static_cast<double>(now.size()), 3980, 20);  // of 4,000 draws some collide
  const auto lost = [&](std::uint64_t step) {
    return now.size() - count_common(now, set_of(options, 0, step));
  };
  EXPECT_NEAR(static_cast<double>(lost(501)), 40, 10);
  EXPECT_NEAR(static_cast<double>(lost(550)), 2000, 80);
  EXPECT_GT(lost(600), 3900U);
  EXPECT_NEAR(static_cast<double>(count_common(now, set_of(options, 1, 500))), 430, 50);
}

TEST(Patterns, ResidentRowsAreAtHome) {
  const PatternOptions options{.kind = PatternKind::kResident, .nodes = 3, .batch = 100};
  const PartitionMap map(3);
  for (const Key key : keys_of(options, 2, 0, 0)) {
    EXPECT_EQ(map.home(TableId{0}, key), NodeId{2});
  }
}

TEST(Patterns, ATraceHoldsWhatIsDrawnAndCountsIt) {
  const PatternOptions options{
      .kind = PatternKind::kStream, .nodes = 2, .workers = 2, .batch = 5, .scale = 0.001};
  const auto pattern = make_pattern(options);
  const Trace trace(*pattern, options, 10);
  const auto keys = trace.keys(1, 1, 3);
  EXPECT_EQ(std::vector<Key>(keys.begin(), keys.end()), keys_of(options, 1, 1, 3));
  const auto touches = trace.touches(pattern->rows(), 4);
  EXPECT_EQ(std::count(touches.begin(), touches.end(), 1U), 2 * 2 * 5 * 4);
  EXPECT_EQ(touches[keys_of(options, 0, 0, 3)[0]], 1U);
  EXPECT_EQ(touches[keys_of(options, 0, 0, 4)[0]], 0U);
}

}  // namespace
}  // namespace godwit
