// node/sampler_test.cc: which keys are leased for how long, without a node.
#include "node/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace godwit {
namespace {

// Leases that hold nothing, and the keys they would hold.
class FakeLeases {
 public:
  std::shared_ptr<Lease> make(std::span<const Key> keys, Sampler::Until until) {
    std::vector<Key> mine(keys.begin(), keys.end());
    for (const Key key : mine) ++held_[key];
    ++made_[until];
    return {new Lease(), [this, mine](Lease* lease) {
              delete lease;  // NOLINT: a deleter
              for (const Key key : mine) {
                if (--held_[key] == 0) held_.erase(key);
              }
            }};
  }
  Sampler::MakeLease maker() {
    return [this](std::span<const Key> keys, Sampler::Until until) { return make(keys, until); };
  }
  bool holds(Key key) const { return held_.contains(key); }
  std::size_t size() const { return held_.size(); }
  int made(Sampler::Until until) { return made_[until]; }

 private:
  std::map<Key, int> held_;
  std::map<Sampler::Until, int> made_;
};

using Until = Sampler::Until;

TEST(Sampler, AnExactSampleIsLeasedForItsTicks) {
  FakeLeases leases;
  Sampler sampler(Distribution::uniform(1000).value(), SampleLevel::exact(), 1, 2);
  auto rows = sampler.prepare(50, leases.maker());
  EXPECT_EQ(rows->keys.size(), 50U);
  EXPECT_TRUE(std::all_of(rows->keys.begin(), rows->keys.end(),
                          [&](Key key) { return leases.holds(key); }));
  EXPECT_EQ(leases.made(Until::kSampleEnds), 1);
  rows.reset();
  EXPECT_EQ(leases.size(), 0U);
}

TEST(Sampler, APoolHoldsItsKeysAndThoseOfSamplesAndNotMuchElse) {
  constexpr std::size_t kPool = 256;
  constexpr std::size_t kCount = 64;
  FakeLeases leases;
  {
    Sampler sampler(Distribution::log_uniform(100'000).value(), SampleLevel::pooled(4, kPool), 1,
                    2);
    std::size_t most = 0;
    std::set<Key> seen;
    auto before = sampler.prepare(kCount, leases.maker());
    for (int i = 0; i < 3000; ++i) {
      auto rows = sampler.prepare(kCount, leases.maker());
      ASSERT_EQ(rows->places.size(), kCount);
      for (const auto* sample : {rows.get(), before.get()}) {
        for (const Key key : sample->keys) ASSERT_TRUE(leases.holds(key)) << "round " << i;
      }
      seen.insert(rows->keys.begin(), rows->keys.end());
      before = std::move(rows);
      most = std::max(most, leases.size());
    }
    EXPECT_GT(seen.size(), 10'000U);
    EXPECT_LE(most, 2 * kPool);  // 688 if batches were not leased anew
    EXPECT_GT(leases.size(), kPool / 4);
    EXPECT_GT(leases.made(Until::kDroppedFromNow), 0);
  }
  EXPECT_EQ(leases.size(), 0U);
}

TEST(Sampler, LocalKeysAreLookedForOneByOneOnlyWhereTriesCostAsMuch) {
  constexpr std::uint64_t kKeys = 10'000;
  Sampler sampler(Distribution::uniform(kKeys).value(), SampleLevel::local(), 1, 2);
  std::uint64_t asked = 0;
  const auto is_local = [&](Key key) { return ++asked, key == 77; };
  std::uint64_t found = 0;
  for (int i = 0; i < 1000; ++i) {
    const LocalDraws draws = sampler.draw_local(1, is_local);
    for (const Key key : draws.keys) EXPECT_EQ(key, 77U);
    for (const double weight : draws.weights) EXPECT_NEAR(weight, 1, 1e-12);
    found += draws.keys.size();
    if (i == 100) {
      EXPECT_LE(asked, std::uint64_t{101} * 64);  // no list so far
    }
  }
  EXPECT_GE(found, 1000 - kKeys / 64 - 1);
  EXPECT_LE(asked, std::uint64_t{1000} * 65 + kKeys * 7);
}

}  // namespace
}  // namespace godwit
