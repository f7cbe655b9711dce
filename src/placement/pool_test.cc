// placement/pool_test.cc: frequencies are the target's, uses are counted, and changes add up.
#include "placement/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

std::vector<double> probabilities(const Distribution& target) {
  std::vector<double> all;
  for (Key key = 0; key < target.size(); ++key) all.push_back(target.probability(key));
  return all;
}

bool ascends(const std::vector<Key>& keys) {
  return std::ranges::adjacent_find(keys, std::greater_equal<>{}) == keys.end();
}

// n hand-outs scatter as n / reuse independent draws: each of those is counted once.
TEST(Pool, LongRunFrequenciesAreTheTargets) {
  const Distribution target = Distribution::log_uniform(200).value();
  for (const std::uint64_t reuse : {1UL, 4UL, 32UL}) {
    Pool pool(target, {.size = 100, .reuse = reuse, .seed = reuse});
    std::vector<double> seen(target.size());
    for (const Key key : pool.draw(20'000 * reuse).keys) {
      seen.at(key) += 1 / static_cast<double>(reuse);
    }
    EXPECT_LT(chi_square_sigmas(seen, probabilities(target)), kSigmasMax) << reuse;
  }
}

// Over many pools, the hand-outs of one position are independent.
TEST(Pool, EveryHandOutHasTheTargetsDistribution) {
  const Distribution target = Distribution::log_uniform(30).value();
  for (const std::size_t position : {0UL, 1UL, 25UL}) {
    std::vector<double> seen(target.size());
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      Pool pool(target, {.size = 4, .reuse = 3, .seed = seed});
      seen.at(pool.draw(position + 1).keys.back()) += 1;
    }
    EXPECT_LT(chi_square_sigmas(seen, probabilities(target)), kSigmasMax) << position;
  }
}

// Of very many keys no two draws are the same, so that uses can be told apart.
TEST(Pool, EveryKeyIsHandedOutAsOftenAsAskedBeforeItLeaves) {
  const Distribution target = Distribution::uniform(1ULL << 62).value();
  Pool pool(target, {.size = 50, .reuse = 7, .seed = 1});
  std::unordered_map<Key, int> uses;
  std::size_t left = 0;
  for (int batch = 0; batch < 500; ++batch) {
    const PoolBatch drawn = pool.draw(40);
    for (const Key key : drawn.keys) ++uses[key];
    for (const Key key : drawn.left) ASSERT_EQ(uses[key], 7);
    left += drawn.left.size();
  }
  for (const auto& [key, count] : uses) EXPECT_LE(count, 7) << key;
  EXPECT_NEAR(static_cast<double>(left), 500 * 40 / 7.0, 50);
  EXPECT_EQ(pool.keys().size(), 50U);
}

// Old and new keys alike: in a pool that is not used up, every place has the same chance.
TEST(Pool, NoPlaceIsFavoured) {
  const Distribution target = Distribution::uniform(1ULL << 62).value();
  Pool pool(target, {.size = 64, .reuse = 1'000'000, .seed = 2});
  const std::vector<Key> keys = pool.keys();
  std::vector<double> seen(keys.size());
  for (const Key key : pool.draw(64'000).keys) {
    seen.at(static_cast<std::size_t>(std::ranges::lower_bound(keys, key) - keys.begin())) += 1;
  }
  EXPECT_LT(chi_square_sigmas(seen, std::vector<double>(64, 1.0 / 64)), kSigmasMax);
}

// Few keys in many places: most changes of a place change nothing in the pool.
TEST(Pool, ChangesAddUpToTheKeysInThePool) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng prng(seed);
    const Distribution target = Distribution::log_uniform(1 + prng.below(100)).value();
    Pool pool(target,
              {.size = 1 + prng.below(30), .reuse = 1 + prng.below(4), .seed = prng.next()});
    const std::vector<Key> start = pool.keys();
    std::set<Key> here(start.begin(), start.end());
    for (int batch = 0; batch < 50; ++batch) {
      const PoolBatch drawn = pool.draw(prng.below(20));
      ASSERT_TRUE(ascends(drawn.entered) && ascends(drawn.left));
      for (const Key key : drawn.entered) ASSERT_TRUE(here.insert(key).second) << key;
      // Whoever signals what entered before it uses the batch has signalled every key of it.
      for (const Key key : drawn.keys) ASSERT_TRUE(here.contains(key)) << key;
      for (const Key key : drawn.left) ASSERT_EQ(here.erase(key), 1U) << key;
      const std::vector<Key> now = pool.keys();
      ASSERT_TRUE(std::ranges::equal(here, now)) << "seed " << seed << " batch " << batch;
    }
  }
}

// Of a hot key nearly every place holds one, and it must not leave while any does.
TEST(Pool, AKeyInSeveralPlacesLeavesWithTheLast) {
  const Distribution target = Distribution::uniform(1).value();
  Pool pool(target, {.size = 8, .reuse = 1, .seed = 1});
  EXPECT_EQ(pool.keys(), std::vector<Key>{0});
  const PoolBatch drawn = pool.draw(100);
  EXPECT_EQ(drawn.keys, std::vector<Key>(100, 0));
  EXPECT_TRUE(drawn.entered.empty());
  EXPECT_TRUE(drawn.left.empty());
}

TEST(Pool, BatchSizesDoNotChangeWhatIsHandedOut) {
  const Distribution target = Distribution::log_uniform(1000).value();
  const PoolOptions options{.size = 10, .reuse = 3, .seed = 5};
  Pool whole(target, options);
  Pool parts(target, options);
  std::vector<Key> keys;
  for (const std::uint64_t count : {0UL, 1UL, 29UL, 70UL}) {
    for (const Key key : parts.draw(count).keys) keys.push_back(key);
  }
  EXPECT_EQ(whole.draw(100).keys, keys);
  Pool other(target, {.size = 10, .reuse = 3, .seed = 6});
  EXPECT_NE(other.draw(100).keys, keys);
}

TEST(PoolDeathTest, RefusesNoKeysAndNoUses) {
  const Distribution target = Distribution::uniform(3).value();
  EXPECT_DEATH(Pool(target, {.size = 0}), "size");
  EXPECT_DEATH(Pool(target, {.reuse = 0}), "reuse");
}

}  // namespace
}  // namespace godwit
