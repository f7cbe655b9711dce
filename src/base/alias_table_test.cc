// base/alias_table_test.cc: the table's columns add up to the weights, exactly.
#include "base/alias_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

// What draw() does, as probabilities: every column is picked equally often.
std::vector<double> drawn_shares(const AliasTable& table) {
  std::vector<double> shares(table.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const AliasTable::Column& column = table.columns()[i];
    const double kept = std::ldexp(static_cast<double>(column.keep_below), -64);
    shares[i] += kept / static_cast<double>(shares.size());
    shares.at(column.alias) += (1 - kept) / static_cast<double>(shares.size());
  }
  return shares;
}

void expect_shares_of(const std::vector<double>& counts) {
  const AliasTable table = AliasTable::make(counts).value();
  ASSERT_EQ(table.size(), counts.size());
  double total = 0;
  for (const double count : counts) total += count;
  const std::vector<double> shares = drawn_shares(table);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_NEAR(shares[i], counts[i] / total, 1e-14) << "key " << i;
    EXPECT_NEAR(table.probability(i), counts[i] / total, 1e-14) << "key " << i;
    EXPECT_EQ(shares[i] == 0, counts[i] == 0) << "key " << i;
  }
}

TEST(AliasTable, SharesAreTheCounts) {
  expect_shares_of({7});
  expect_shares_of({1, 1, 1, 1});
  expect_shares_of({1, 2, 3, 4, 0, 10, 0.5});
  expect_shares_of({0, 0, 0, 1});
  expect_shares_of({16'777'215, 1, 0, 3});
}

TEST(AliasTable, SharesAreTheCountsForManyShapes) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Prng prng(seed);
    std::vector<double> counts(1 + prng.below(2000));
    for (double& count : counts) {
      // Of many sizes, a third of them zero, and all of them short enough for a float.
      if (prng.below(3) > 0) count = std::floor(std::exp(prng.uniform() * 16));
    }
    counts[prng.below(counts.size())] = 5;
    expect_shares_of(counts);
  }
}

// The weights differ in their last bits from what fits: rounding leaves columns over at the end.
TEST(AliasTable, ZeroCountsAreNeverDrawnInALargeTable) {
  std::vector<double> counts(200'000);
  for (std::size_t i = 0; i < counts.size(); i += 3) counts[i] = 1.0 / static_cast<double>(i + 3);
  const AliasTable table = AliasTable::make(counts).value();
  const std::vector<double> shares = drawn_shares(table);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ASSERT_EQ(shares[i] > 0, counts[i] > 0) << "key " << i;
    ASSERT_NEAR(shares[i], table.probability(i), 1e-9 * table.probability(i)) << "key " << i;
  }
}

TEST(AliasTable, DrawsFollowTheColumns) {
  const AliasTable table = AliasTable::make(std::vector<double>{5, 0, 1, 30, 2, 0.25}).value();
  std::vector<double> seen(table.size());
  std::vector<double> probability;
  for (Key key = 0; key < table.size(); ++key) probability.push_back(table.probability(key));
  Prng prng(1);
  for (int i = 0; i < 100'000; ++i) seen.at(table.draw(prng)) += 1;
  EXPECT_LT(chi_square_sigmas(seen, probability), kSigmasMax);
}

TEST(AliasTable, TakesCountsOfAnySize) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const double unit : {0x1p1021, 0x1p500, 1.0, 0x1p-500, tiny}) {
    const AliasTable table = AliasTable::make(std::vector<double>{unit, 3 * unit}).value();
    EXPECT_EQ(table.probability(0), 0.25) << unit;
    EXPECT_EQ(table.probability(1), 0.75) << unit;
  }
  const AliasTable table = AliasTable::make(std::vector<double>{huge, huge, tiny}).value();
  EXPECT_EQ(table.probability(0), 0.5);
  EXPECT_EQ(drawn_shares(table)[2], 0);
}

TEST(AliasTable, KeysBeyondItHaveNoProbability) {
  const AliasTable table = AliasTable::make(std::vector<double>{1, 1}).value();
  EXPECT_EQ(table.probability(2), 0);
  EXPECT_EQ(table.probability(~Key{0}), 0);
}

TEST(AliasTable, RefusalsNameThePlaceAndTheValue) {
  const auto message = [](const std::vector<double>& counts) {
    const Result<AliasTable> table = AliasTable::make(counts);
    EXPECT_EQ(table.error().code(), ErrorCode::kInvalidArgument);
    return table.error().message();
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message({}), "no counts to draw by");
  EXPECT_EQ(message({0, 0, 0}), "all 3 counts are zero");
  EXPECT_EQ(message({1, 2, -0.5}), "count 2 is -0.5, must be a finite number >= 0");
  EXPECT_EQ(message({kNan}), "count 0 is nan, must be a finite number >= 0");
  EXPECT_EQ(message({1, kInfinity}), "count 1 is inf, must be a finite number >= 0");
}

}  // namespace
}  // namespace godwit
