// train/mf_blocks_test.cc: every rating is in one block of one worker.
#include "train/mf_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

TEST(MfBlocks, EachBlockHasItsTurnInOneSegment) {
  for (const std::int64_t segments : {1, 3}) {
    std::vector<int> seen(10);
    for (std::int64_t segment = 0; segment < segments; ++segment) {
      const auto first = block_order(10, segment, segments, 7, {.index = 0, .count = 2});
      const auto other = block_order(10, segment, segments, 7, {.index = 1, .count = 2});
      EXPECT_NE(first.front(), other.front()) << "workers begin elsewhere";
      for (const std::uint32_t block : first) ++seen[block];
    }
    EXPECT_EQ(seen, std::vector<int>(10, 1)) << segments;
  }
  EXPECT_NE(block_order(10, 0, 1, 7, {}), block_order(10, 0, 1, 8, {}));
}

TEST(MfBlocks, MomentsAreThoseOfTheRatings) {
  const std::vector<Rating> ratings{{0, 0, 1}, {0, 1, 5}, {1, 0, 3}};
  const RatingMoments moments = moments_of(ratings);
  EXPECT_FLOAT_EQ(moments.mean, 3);
  EXPECT_FLOAT_EQ(moments.deviation, std::sqrt(8.0F / 3));
  EXPECT_EQ(moments.min, 1);
  EXPECT_EQ(moments.max, 5);
  EXPECT_EQ(moments_of(std::span(ratings).first(1)).deviation, 1) << "all the same";
}

}  // namespace
}  // namespace godwit
