// train/mf_blocks_test.cc: every rating is in one block of one worker.
#include "train/mf_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<Rating> some_ratings(std::uint32_t rows, std::uint32_t columns, std::size_t count) {
  Prng prng(2);
  std::vector<Rating> ratings(count);
  for (Rating& rating : ratings) {
    rating = {static_cast<std::uint32_t>(prng.below(rows) * prng.below(rows) / rows),
              static_cast<std::uint32_t>(prng.below(columns)), static_cast<float>(prng.below(10))};
  }
  return ratings;
}

TEST(MfBlocks, EveryRatingIsInOneBlockOfOneWorker) {
  const auto ratings = some_ratings(50, 40, 2000);
  std::map<std::tuple<Key, Key, float>, int> expected;
  for (const Rating& rating : ratings) {
    ++expected[{rating.row, rating.column, (rating.value - 4) * 2}];
  }
  for (const std::int64_t workers : {1, 3, 8}) {
    std::map<std::tuple<Key, Key, float>, int> found;
    for (const auto& share : share_rows(ratings, 50, workers)) {
      const auto blocks = make_blocks(ratings, share, 40, 16, 4, 2, 1);
      ASSERT_EQ(blocks.size(), 16U);
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        EXPECT_TRUE(std::is_sorted(blocks[block].rows.begin(), blocks[block].rows.end()));
        std::uint32_t last = 0;
        for (const BlockRating& rating : blocks[block].ratings) {
          EXPECT_GE(rating.row, last) << "rows rise";
          last = rating.row;
          const Key column = blocks[block].columns[rating.column];
          EXPECT_EQ(column * 16 / 40, block);
          ++found[{blocks[block].rows[rating.row], column, rating.value}];
        }
      }
    }
    EXPECT_EQ(found, expected) << workers << " workers";
  }
}

TEST(MfBlocks, WorkersGetAboutAsManyRatings) {
  const auto ratings = some_ratings(1000, 10, 20'000);
  std::vector<int> counts(4);
  const auto shares = share_rows(ratings, 1000, 4);
  for (const Rating& rating : ratings) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (rating.row >= shares[i].first && rating.row < shares[i].second) ++counts[i];
    }
  }
  for (const int count : counts) EXPECT_NEAR(count, 5000, 500);
}

TEST(MfBlocks, MoreWorkersThanRowsLeavesSomeWithout) {
  const auto ratings = some_ratings(3, 2, 10);
  const auto shares = share_rows(ratings, 3, 8);
  ASSERT_EQ(shares.size(), 8U);
  EXPECT_EQ(shares.front().first, 0U);
  EXPECT_EQ(shares.back().second, 3U);
}

TEST(MfBlocks, ThereAreNeverMoreBlocksThanColumns) {
  EXPECT_EQ(count_blocks(3, 100), 3U);
  EXPECT_EQ(count_blocks(1000, 100), 16U);
  EXPECT_GT(count_blocks(1'000'000, 512), 1000U);
}

}  // namespace
}  // namespace godwit
