// pace/sample_ledger_test.cc: every position counts exactly once, whatever comes back.
#include "pace/sample_ledger.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

using Ranges = std::vector<SampleRange>;

Ranges copy_of(std::span<const SampleRange> ranges) {
  return {ranges.begin(), ranges.end()};
}

TEST(SampleLedger, HandsOutPositionsInOrder) {
  SampleLedger ledger(10, 2, 3);
  EXPECT_EQ(copy_of(ledger.hand_out(0, 0, 4)), (Ranges{{0, 4}}));
  EXPECT_EQ(copy_of(ledger.hand_out(0, 2, 4)), (Ranges{{4, 8}}));
  EXPECT_EQ(ledger.epochs_begun(), 1U);
  EXPECT_EQ(copy_of(ledger.hand_out(1, 1, 4)), (Ranges{{8, 12}})) << "across the end of an epoch";
  EXPECT_EQ(ledger.epochs_begun(), 2U);
  EXPECT_EQ(ledger.outstanding(), 12U);
}

TEST(SampleLedger, WhatCameBackIsServedFirst) {
  SampleLedger ledger(100, 0, 2);
  ledger.hand_out(0, 0, 5);
  ledger.hand_out(0, 1, 5);
  EXPECT_TRUE(ledger.come_back(0, 1, 2));
  EXPECT_EQ(ledger.counted(), 2U);
  EXPECT_EQ(copy_of(ledger.hand_out(1, 0, 2)), (Ranges{{7, 9}}));
  EXPECT_EQ(copy_of(ledger.hand_out(1, 1, 4)), (Ranges{{9, 13}})) << "pieces that meet are one";
  EXPECT_TRUE(ledger.come_back(1, 0));
  EXPECT_EQ(copy_of(ledger.hand_out(2, 0, 4)), (Ranges{{7, 9}, {13, 15}}));
  EXPECT_EQ(copy_of(ledger.given(2, 0)), (Ranges{{7, 9}, {13, 15}}));
}

TEST(SampleLedger, NothingCountsTwice) {
  SampleLedger ledger(100, 1, 2);
  ledger.hand_out(7, 0, 5);
  EXPECT_FALSE(ledger.count(6, 0));
  EXPECT_FALSE(ledger.count(7, 1));
  EXPECT_TRUE(ledger.count(7, 0));
  EXPECT_FALSE(ledger.count(7, 0)) << "a result that is told twice";
  EXPECT_FALSE(ledger.come_back(7, 0));
  EXPECT_EQ(ledger.counted(), 5U);
  EXPECT_EQ(ledger.outstanding(), 0U);
}

TEST(SampleLedger, EndsWhenAllEpochsAreCounted) {
  SampleLedger ledger(3, 2, 2);
  ledger.hand_out(0, 0, 4);
  ledger.hand_out(0, 1, 4);
  EXPECT_EQ(copy_of(ledger.given(0, 1)), (Ranges{{4, 6}}));
  EXPECT_FALSE(ledger.has_more());
  EXPECT_FALSE(ledger.is_finished()) << "some may come back";
  EXPECT_TRUE(ledger.hand_out(1, 0, 1).empty());
  ledger.count(0, 0);
  ledger.lose(1);
  EXPECT_TRUE(ledger.has_more());
  EXPECT_EQ(copy_of(ledger.hand_out(1, 0, 4)), (Ranges{{4, 6}}));
  ledger.count(1, 0);
  EXPECT_TRUE(ledger.is_finished());
}

// Workers that are dropped, late, cut short or lost at random: in the end each position of each
// epoch has been counted once.
TEST(SampleLedger, EveryPositionCountsExactlyOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng prng(seed);
    const std::uint64_t samples = 1 + prng.below(300);
    const std::uint64_t epochs = 1 + prng.below(4);
    const auto workers = static_cast<std::uint32_t>(1 + prng.below(6));
    SampleLedger ledger(samples, epochs, workers);
    std::vector<int> counts(samples * epochs);
    std::map<std::pair<std::uint64_t, std::uint32_t>, Ranges> held;
    const auto count_first = [&](const Ranges& ranges, std::uint64_t used) {
      for (const SampleRange& range : ranges) {
        for (std::uint64_t p = range.begin; p < range.end && used > 0; ++p, --used) ++counts.at(p);
      }
    };
    for (std::uint64_t step = 0; !ledger.is_finished(); ++step) {
      ASSERT_LT(step, 100'000U);
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        if (prng.below(4) == 0) continue;
        const Ranges got = copy_of(ledger.hand_out(step, worker, 1 + prng.below(40)));
        if (!got.empty()) held[{step, worker}] = got;
      }
      for (auto it = held.begin(); it != held.end();) {
        const auto [at, worker] = it->first;
        std::uint64_t size = 0;
        for (const SampleRange& range : it->second) size += range.size();
        const std::uint64_t fate = prng.below(step > 2000 ? 1 : 5);
        if (fate == 4) {  // still on its way
          ++it;
          continue;
        }
        const std::uint64_t used = fate < 2 ? size : prng.below(size + 1);
        count_first(it->second, used);
        ASSERT_TRUE(used == size ? ledger.count(at, worker) : ledger.come_back(at, worker, used));
        it = held.erase(it);
      }
      if (prng.below(50) == 0) {
        const auto lost = static_cast<std::uint32_t>(prng.below(workers));
        ledger.lose(lost);
        std::erase_if(held, [&](const auto& entry) { return entry.first.second == lost; });
      }
    }
    for (std::uint64_t p = 0; p < counts.size(); ++p) {
      ASSERT_EQ(counts[p], 1) << "seed " << seed << " position " << p;
    }
    EXPECT_EQ(ledger.counted(), samples * epochs);
  }
}

TEST(SampleLedgerDeathTest, AWorkerHasAStepOnce) {
  SampleLedger ledger(10, 1, 1);
  ledger.hand_out(3, 0, 2);
  EXPECT_DEATH(ledger.hand_out(3, 0, 2), "check failed");
  EXPECT_DEATH(ledger.come_back(3, 0, 3), "check failed");
  EXPECT_DEATH(ledger.hand_out(4, 1, 2), "check failed");
}

}  // namespace
}  // namespace godwit
