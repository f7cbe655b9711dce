// train/row_shares_test.cc: every row is one rank's, and collectives are cut there.
#include "train/row_shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "group/share_of.h"

namespace godwit {
namespace {

std::vector<StepTable> tables_of(
    const std::vector<std::pair<std::uint64_t, std::uint32_t>>& sizes) {
  std::vector<StepTable> tables;
  for (const auto& [rows, length] : sizes) {
    tables.push_back({.name = "t", .rows = rows, .row_length = length, .init = {}});
  }
  return tables;
}

TEST(RowShares, EveryRowIsOneRanksAndRowsFollowEachOther) {
  for (int ranks = 1; ranks <= 12; ++ranks) {
    const auto tables = tables_of({{7, 785}, {5, 8}});
    const RowShares shares(tables, ranks);
    EXPECT_EQ(shares.floats(), 7u * 785 + 5 * 8);
    std::size_t at = 0;
    std::vector<Key> next(2);
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_FALSE(shares.of(rank).empty()) << rank << " of " << ranks;
      for (const RowSpan& span : shares.of(rank)) {
        EXPECT_EQ(span.begin, at);
        EXPECT_EQ(span.floats, span.keys.size() * tables[span.table].row_length);
        for (const Key key : span.keys) EXPECT_EQ(key, next[span.table]++);
        at += span.floats;
      }
    }
    EXPECT_EQ(at, shares.floats());
    EXPECT_EQ(next, (std::vector<Key>{7, 5}));
  }
}

TEST(RowShares, AreNearlyEqual) {
  const RowShares shares(tables_of({{128, 785}, {10, 129}}), 4);
  for (int rank = 0; rank < 4; ++rank) {
    std::size_t floats = 0;
    for (const RowSpan& span : shares.of(rank)) floats += span.floats;
    EXPECT_NEAR(static_cast<double>(floats), static_cast<double>(shares.floats()) / 4, 785);
  }
}

TEST(RowShares, CollectivesAreCutWhereRowsAre) {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    const RowShares shares(tables_of({{128, 785}, {10, 129}}), ranks);
    std::vector<float> values(shares.floats());
    std::vector<float> padding(shares.padding_floats());
    const TensorList list = shares.list(values, padding);
    for (int rank = 0; rank < ranks; ++rank) {
      const Interval share = share_of(list.length(), rank, ranks);
      const std::size_t begin = shares.of(rank)[0].begin;
      std::size_t floats = 0;
      for (const RowSpan& span : shares.of(rank)) floats += span.floats;
      EXPECT_LE(floats, share.length());
      const auto* place = list.place({share.begin, share.begin + floats}, 0);
      EXPECT_EQ(place, reinterpret_cast<std::byte*>(values.data() + begin));
    }
  }
}

}  // namespace
}  // namespace godwit
