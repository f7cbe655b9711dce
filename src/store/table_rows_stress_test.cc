// store/table_rows_stress_test.cc: many threads on few rows; the thread sanitizer watches.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "store/table_rows.h"

namespace godwit {
namespace {

constexpr std::uint32_t kLength = 19;
constexpr int kThreads = 4;

class Stress : public testing::TestWithParam<std::uint64_t> {
 protected:
  MemoryBudget budget_{std::uint64_t{1} << 32};
  std::unique_ptr<TableRows> rows_ =
      TableRows::make({.name = "t", .rows = GetParam(), .row_length = kLength}, budget_).value();
};

INSTANTIATE_TEST_SUITE_P(Both, Stress, testing::Values(std::uint64_t{64}, kUnbounded),
                         [](const auto& which) {
                           return which.param == kUnbounded ? "Unbounded" : "Bounded";
                         });

// Integer deltas up to 2^24 add exactly, so every lost or doubled update shows. Rows are made by
// the racing pushes themselves, and a reader must never see a row half changed.
TEST_P(Stress, ConcurrentPushesAllLand) {
  constexpr int kBatches = 300;
  constexpr std::size_t kBatch = 128;
  std::vector<std::atomic<std::int64_t>> expected(64);
  std::atomic<bool> done{false};
  std::jthread reader([&] {
    RowScratch scratch;
    Prng prng(99);
    std::vector<Key> keys(32);
    std::vector<float> values(keys.size() * kLength);
    while (!done) {
      for (Key& key : keys) key = prng.below(64);
      rows_->pull(keys, values, scratch).value();
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], values[i / kLength * kLength]) << "half of a push was seen";
      }
    }
  });
  {
    std::vector<std::jthread> pushers;
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      pushers.emplace_back([&, t] {
        RowScratch scratch;
        Prng prng(t);
        std::vector<Key> keys(kBatch);
        std::vector<float> gradients(kBatch * kLength);
        for (int batch = 0; batch < kBatches; ++batch) {
          for (std::size_t i = 0; i < kBatch; ++i) {
            keys[i] = prng.below(prng.below(64) + 1);  // low keys are hot
            const auto delta = static_cast<std::int64_t>(prng.below(5));
            expected[keys[i]] += delta;
            std::fill_n(gradients.begin() + static_cast<std::ptrdiff_t>(i * kLength), kLength,
                        static_cast<float>(delta));
          }
          rows_->push(keys, gradients, scratch).value();
        }
      });
    }
  }
  done = true;
  reader.join();
  RowScratch scratch;
  for (Key key = 0; key < 64; ++key) {
    std::vector<float> value(kLength);
    rows_->pull(std::vector<Key>{key}, value, scratch).value();
    EXPECT_EQ(value, std::vector<float>(kLength, static_cast<float>(expected[key]))) << key;
  }
}

TEST_P(Stress, LockedGuardsExcludePushes) {
  rows_->push(std::vector<Key>{5}, std::vector<float>(kLength, 0), *std::make_unique<RowScratch>())
      .value();
  constexpr int kRounds = 20'000;
  {
    std::jthread pusher([&] {
      RowScratch scratch;
      const std::vector<float> ones(kLength, 1);
      for (int i = 0; i < kRounds; ++i) rows_->push(std::vector<Key>{5}, ones, scratch).value();
    });
    std::jthread guard([&] {
      RowScratch scratch;
      rows_->resolve(std::vector<Key>{5}, scratch).value();
      for (int i = 0; i < kRounds; ++i) {
        const LockedRow row(scratch[0], rows_->layout());
        for (float& x : row.value()) x += 1;
      }
    });
  }
  RowScratch scratch;
  std::vector<float> value(kLength);
  rows_->pull(std::vector<Key>{5}, value, scratch).value();
  EXPECT_EQ(value, std::vector<float>(kLength, 2.0F * kRounds));
}

// Rows come and go under the feet of pushers. A push lands in a row or in its successor; no push
// may land in the memory of another key.
TEST_P(Stress, ErasingNeverMixesUpRows) {
  std::atomic<bool> done{false};
  std::jthread eraser([&] {
    Prng prng(5);
    while (!done) rows_->erase(prng.below(32) * 2);
  });
  {
    std::vector<std::jthread> pushers;
    for (std::uint64_t t = 0; t < 2; ++t) {
      pushers.emplace_back([&, t] {
        RowScratch scratch;
        Prng prng(t);
        std::vector<Key> keys(64);
        std::vector<float> gradients(keys.size() * kLength);
        for (int batch = 0; batch < 400; ++batch) {
          for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = prng.below(64);
            // Even keys, which are erased, receive only ones; odd keys only 1000s.
            std::fill_n(gradients.begin() + static_cast<std::ptrdiff_t>(i * kLength), kLength,
                        keys[i] % 2 == 0 ? 1.0F : 1000.0F);
          }
          rows_->push(keys, gradients, scratch).value();
        }
      });
    }
  }
  done = true;
  eraser.join();
  RowScratch scratch;
  double odd_sum = 0;
  for (Key key = 0; key < 64; ++key) {
    std::vector<float> value(kLength);
    rows_->pull(std::vector<Key>{key}, value, scratch).value();
    for (const float x : value) ASSERT_EQ(x, value[0]) << key;
    if (key % 2 == 1) {
      EXPECT_EQ(std::fmod(value[0], 1000.0F), 0) << key;
      odd_sum += value[0];
    } else {
      EXPECT_LT(value[0], 60'000) << "no odd key's push lands in an even key's row";
    }
  }
  // Every push to an odd key landed: both threads' draws, replayed.
  double expected = 0;
  for (std::uint64_t t = 0; t < 2; ++t) {
    Prng prng(t);
    for (int i = 0; i < 400 * 64; ++i) expected += prng.below(64) % 2 == 1 ? 1000.0 : 0.0;
  }
  EXPECT_EQ(odd_sum, expected);
}

// What a copy of another node's row goes through: it is made with what came over the wire, and
// taken away again with what was added to it meanwhile. A push that found a row is in what was
// taken.
TEST_P(Stress, ARowThatIsMadeHeldTakesNoPushBeforeItIsFilled) {
  constexpr int kRounds = 40'000;
  constexpr float kCame = 1 << 20;
  std::atomic<bool> done{false};
  double landed = 0;
  std::jthread pusher([&] {
    RowScratch scratch;
    Missed missed;
    const std::vector<Key> keys{5};
    const std::vector<float> ones(kLength, 1);
    while (!done) {
      missed.clear();
      rows_->push_here(keys, ones, scratch, missed).value();
      if (missed.empty()) ++landed;
    }
  });
  double taken = 0;
  for (int round = 0; round < kRounds; ++round) {
    {
      const HeldRow row = rows_->hold(5).value();
      std::fill(row.floats().begin(), row.floats().end(), kCame);
    }
    std::optional<HeldRow> row = rows_->hold_if_there(5);
    taken += double{row->floats()[0]} - double{kCame};
    rows_->erase(5, *std::move(row));
  }
  done = true;
  pusher.join();
  EXPECT_EQ(taken, landed);
}

}  // namespace
}  // namespace godwit
