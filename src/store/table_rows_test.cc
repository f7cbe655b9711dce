// store/table_rows_test.cc: batches against a scalar oracle; bad input changes nothing.
#include "store/table_rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/prng.h"
#include "store/initial_row.h"
#include "store/rule_oracle.h"

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 32;

struct OneTable {
  explicit OneTable(const TableSpec& spec) : rows(TableRows::make(spec, budget).value()) {}

  std::vector<float> pull(std::vector<Key> keys) {
    std::vector<float> values(keys.size() * rows->spec().row_length);
    rows->pull(keys, values, scratch).value();
    return values;
  }
  void push(std::vector<Key> keys, std::vector<float> gradients) {
    rows->push(keys, gradients, scratch).value();
  }

  MemoryBudget budget{kMemory};
  std::unique_ptr<TableRows> rows;
  RowScratch scratch;
};

TableSpec spec_of(std::uint64_t rows, const Rule& rule, std::uint32_t length) {
  return {.name = "t",
          .rows = rows,
          .row_length = length,
          .rule = rule,
          .init = Init::uniform(0.1F, 5)};
}

using Case = std::tuple<std::uint64_t, const char*, std::uint32_t>;

class TableRowsCases : public testing::TestWithParam<Case> {};

// Random batches with many repeated keys, pulled back after each, against the scalar rules.
TEST_P(TableRowsCases, AgreeWithTheOracleBitForBit) {
  const std::uint64_t row_count = std::get<0>(GetParam());
  const std::string_view rule_text = std::get<1>(GetParam());
  const std::uint32_t length = std::get<2>(GetParam());
  const Rule rule = Rule::parse(rule_text).value();
  OneTable table(spec_of(row_count, rule, length));
  std::map<Key, OracleRow> oracle;
  const auto oracle_row = [&](Key key) -> OracleRow& {
    auto [place, fresh] = oracle.try_emplace(key);
    if (fresh) {
      place->second.value.resize(length);
      fill_initial(table.rows->spec().init, key, place->second.value);
      place->second.state.resize(rule.state_length(length));
    }
    return place->second;
  };

  Prng prng(17);
  for (int batch = 0; batch < 60; ++batch) {
    std::vector<Key> keys(prng.below(100));
    for (Key& key : keys) key = prng.below(40) * (row_count == kUnbounded ? 0x123456789abcdef : 1);
    std::vector<float> floats(keys.size() * length);
    for (float& x : floats) x = static_cast<float>(prng.uniform() - 0.5);
    if (prng.below(4) == 0) {
      table.rows->set(keys, floats, false, table.scratch).value();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        oracle_row(keys[i]).value.assign(floats.data() + i * length,
                                         floats.data() + (i + 1) * length);
      }
    } else {
      table.push(keys, floats);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        oracle_push(rule, oracle_row(keys[i]), std::span(floats).subspan(i * length, length));
      }
    }
    const std::vector<float> pulled = table.pull(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(std::vector(pulled.data() + i * length, pulled.data() + (i + 1) * length),
                oracle_row(keys[i]).value);
    }
  }
  EXPECT_EQ(table.rows->stats().resident_rows, oracle.size());
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const std::string_view rule = std::get<1>(info.param);
  return fmt::format("{}_{}_{}", std::get<0>(info.param) == kUnbounded ? "unbounded" : "bounded",
                     rule.substr(0, rule.find(':')), std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, TableRowsCases,
                         testing::Combine(testing::Values(std::uint64_t{40}, kUnbounded),
                                          testing::Values("add", "sgd:lr=0.5", "momentum:lr=0.1",
                                                          "adagrad:lr=0.1", "adam:lr=0.01",
                                                          "elastic:beta=0.3", "outer:lr=0.7"),
                                          testing::Values(1U, 5U, 16U, 67U)),
                         case_name);

TEST(TableRows, AKeyTwiceInABatchIsChangedTwice) {
  OneTable table({.name = "t", .rows = 3, .row_length = 1});
  table.push({1, 1, 2, 1}, {1, 10, 100, 1000});
  EXPECT_EQ(table.pull({0, 1, 2}), (std::vector<float>{0, 1011, 100}));
}

TEST(TableRows, SetKeepsTheLastOfARepeatedKeyAndCanResetState) {
  OneTable table({.name = "t", .rows = 2, .row_length = 1, .rule = Rule::adagrad(1, 0)});
  table.push({0}, {4});
  table.rows->set(std::vector<Key>{0, 0}, std::vector<float>{5, 6}, false, table.scratch).value();
  EXPECT_EQ(table.pull({0}), std::vector<float>{6});
  table.push({0}, {3});  // accumulated 16 + 9: the step is 3 / 5
  EXPECT_FLOAT_EQ(table.pull({0})[0], 6 - 0.6F);
  table.rows->set(std::vector<Key>{0}, std::vector<float>{0}, true, table.scratch).value();
  table.push({0}, {3});  // accumulated 9 only
  EXPECT_FLOAT_EQ(table.pull({0})[0], -1);
}

TEST(TableRows, ReadingTakesNoMemory) {
  OneTable table(spec_of(1000, Rule::add(), 4));
  const auto values = table.pull({1, 2, 3, 999});
  EXPECT_EQ(table.rows->stats().resident_rows, 0u);
  table.push({2}, {0, 0, 0, 0});
  EXPECT_EQ(table.rows->stats().resident_rows, 1u);
  EXPECT_EQ(table.pull({1, 2, 3, 999}), values) << "before and after it is made, a row is its init";
}

TEST(TableRows, AnErasedRowBeginsAnew) {
  for (const std::uint64_t rows : {std::uint64_t{10}, kUnbounded}) {
    OneTable table(spec_of(rows, Rule::momentum(0.1F), 3));
    const auto fresh = table.pull({7});
    table.push({7}, {1, 2, 3});
    EXPECT_NE(table.pull({7}), fresh);
    EXPECT_TRUE(table.rows->erase(7));
    EXPECT_FALSE(table.rows->erase(7));
    EXPECT_EQ(table.pull({7}), fresh);
    EXPECT_EQ(table.rows->stats().resident_rows, 0u);
    table.push({8}, {0, 0, 0});  // takes the freed memory; no state may be left in it
    EXPECT_EQ(table.pull({8}), OneTable(spec_of(rows, Rule::momentum(0.1F), 3)).pull({8}));
  }
}

TEST(TableRows, ResolvedRowsAreTheRowsInPlace) {
  OneTable table({.name = "t", .rows = 5, .row_length = 2, .rule = Rule::adagrad(0.1F)});
  const std::vector<Key> keys{4, 0, 4};
  table.rows->resolve(keys, table.scratch).value();
  const RowScratch refs = table.scratch;
  EXPECT_EQ(refs[0].row, refs[2].row);
  LockedRow(refs[1], table.rows->layout()).value()[1] = 8;
  RacyRow(refs[0], table.rows->layout()).value()[0] = 9;
  EXPECT_EQ(table.pull({0, 4}), (std::vector<float>{0, 8, 9, 0}));
}

// What a refused call leaves behind: nothing.
TEST(TableRows, BadInputIsRefusedAndChangesNothing) {
  OneTable table({.name = "t", .rows = 10, .row_length = 2});
  table.push({3}, {1, 2});
  const auto before = table.pull({0, 3, 9});
  const auto refusal = [&](std::vector<Key> keys, std::vector<float> floats) {
    const auto push = table.rows->push(keys, floats, table.scratch);
    const auto set = table.rows->set(keys, floats, false, table.scratch);
    EXPECT_FALSE(push.ok());
    EXPECT_FALSE(set.ok());
    EXPECT_EQ(push.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(push.error().message(), set.error().message());
    return push.error().message();
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal({3, 10}, {1, 1, 1, 1}),
              HasSubstr("key 10 (at position 1) is out of range, the table has 10 rows"));
  EXPECT_THAT(refusal({3, ~Key{0}}, {1, 1, 1, 1}), HasSubstr("18446744073709551615"));
  EXPECT_THAT(refusal({3, 4}, {1, 1, 1}), HasSubstr("need 4 floats, the span has 3"));
  EXPECT_THAT(refusal({3}, {1, 1, 1, 1}), HasSubstr("need 2 floats, the span has 4"));
  EXPECT_THAT(refusal({}, {1}), HasSubstr("0 keys"));
  EXPECT_THAT(refusal({3, 9}, {1, 1, 1, kNan}), HasSubstr("nan for key 9 (at position 1, element"));
  EXPECT_THAT(refusal({3}, {std::numeric_limits<float>::infinity(), 0}),
              HasSubstr("inf for key 3"));
  std::vector<float> small(3);
  EXPECT_FALSE(table.rows->pull(std::vector<Key>{1, 2}, small, table.scratch).ok());
  EXPECT_EQ(table.pull({0, 3, 9}), before);
  EXPECT_EQ(table.rows->stats().resident_rows, 1u);
}

TEST(TableRows, NonfiniteNumbersPassWhereTheSpecAllowsThem) {
  OneTable table({.name = "t", .rows = 1, .row_length = 1, .accept_nonfinite = true});
  table.push({0}, {std::numeric_limits<float>::infinity()});
  EXPECT_EQ(table.pull({0})[0], std::numeric_limits<float>::infinity());
}

TEST(TableRows, EmptyBatchesAreFine) {
  OneTable table({.name = "t", .rows = 1, .row_length = 3});
  table.push({}, {});
  EXPECT_TRUE(table.pull({}).empty());
}

TEST(TableRows, ATableThatDoesNotFitIsRefusedBeforeItIsMade) {
  MemoryBudget budget(1'000'000);
  const auto refused =
      TableRows::make({.name = "big", .rows = 1'000'000, .row_length = 64}, budget);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
  EXPECT_THAT(refused.error().message(),
              testing::AllOf(HasSubstr("'big'"), HasSubstr("1000000 rows of 256 bytes")));
  EXPECT_EQ(budget.taken(), 0u);
  EXPECT_FALSE(TableRows::make(
                   {.name = "wrap", .rows = std::uint64_t{1} << 40, .row_length = 1U << 24}, budget)
                   .ok());
  {
    const auto fits = TableRows::make({.name = "small", .rows = 1000, .row_length = 64}, budget);
    ASSERT_TRUE(fits.ok());
    EXPECT_GE(budget.taken(), 256'000u);
  }
  EXPECT_EQ(budget.taken(), 0u);
}

TEST(TableRows, AnUnboundedTableStopsAtTheBudgetAndLosesNothing) {
  MemoryBudget budget(std::uint64_t{6} << 20);
  auto rows = TableRows::make({.name = "t", .rows = kUnbounded, .row_length = 256}, budget).value();
  RowScratch scratch;
  std::vector<float> ones(256, 1);
  Key key = 0;
  while (rows->push(std::vector<Key>{key}, ones, scratch).ok()) ++key;
  EXPECT_GT(key, 1000u);
  std::vector<float> batch(512, 1);
  EXPECT_EQ(rows->push(std::vector<Key>{0, key}, batch, scratch).error().code(),
            ErrorCode::kOutOfMemory);
  rows->pull(std::vector<Key>{0}, ones, scratch).value();
  EXPECT_EQ(ones[0], 1) << "the batch that failed changed nothing";
}

// Issue target: <= 40 bytes a resident row beside values and state, <= 6 a row without memory.
TEST(TableRows, OverheadPerRowIsSmall) {
  for (const std::uint32_t length : {16U, 64U}) {
    for (const std::uint64_t bound : {std::uint64_t{300'000}, kUnbounded}) {
      OneTable table({.name = "t", .rows = bound, .row_length = length});
      std::vector<Key> keys(1000);
      const std::vector<float> zeros(keys.size() * length);
      for (Key first = 0; first < 300'000; first += keys.size()) {
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = first + i;
        table.rows->push(keys, zeros, table.scratch).value();
      }
      const TableStats stats = table.rows->stats();
      ASSERT_EQ(stats.resident_rows, 300'000u);
      EXPECT_EQ(stats.row_bytes, 300'000u * length * 4);
      EXPECT_LE(stats.overhead_bytes, 40u * 300'000);
    }
  }
  OneTable sparse({.name = "t", .rows = 10'000'000, .row_length = 16});
  EXPECT_LE(sparse.rows->stats().overhead_bytes, 6u * 10'000'000);
}

TEST(TableRows, AHeldRowIsThereWholeAndGoesWhenItIsErased) {
  MemoryBudget budget(1 << 20);
  const auto rows =
      TableRows::make({.name = "t", .rows = 10, .row_length = 2, .rule = {RuleKind::kAdagrad}},
                      budget)
          .value();
  EXPECT_FALSE(rows->hold_if_there(3).has_value());
  EXPECT_FALSE(rows->is_there(3));
  {
    const HeldRow held = rows->hold(3).value();
    EXPECT_EQ(held.floats().size(), 4U) << "values and state";
    held.floats()[1] = 7;
  }
  RowScratch scratch;
  std::vector<float> values(2);
  const std::vector<Key> keys = {3};
  rows->pull(keys, values, scratch).value();
  EXPECT_EQ(values[1], 7);
  rows->erase(3, *rows->hold_if_there(3));
  EXPECT_FALSE(rows->is_there(3));
  EXPECT_EQ(rows->stats().resident_rows, 0U);
}

TEST(TableRows, ChangesOfSharedRowsAreNoted) {
  MemoryBudget budget(1 << 20);
  const auto rows = TableRows::make({.name = "t", .rows = 10, .row_length = 1}, budget).value();
  {
    HeldRow held = rows->hold(3).value();
    rows->set_shared(held, true);
    rows->set_shared(held, true);
  }
  RowScratch scratch;
  const std::vector<Key> keys = {2, 3, 4, 3};
  rows->push(keys, std::vector<float>(4, 1.0F), scratch).value();
  EXPECT_TRUE(rows->take_has_touched());
  EXPECT_FALSE(rows->take_has_touched());
  EXPECT_EQ(rows->take_touched(), (std::vector<Key>{3})) << "once, though it was changed twice";
  EXPECT_TRUE(rows->take_touched().empty());
  rows->set(std::vector<Key>{3}, std::vector<float>{1}, false, scratch).value();
  EXPECT_EQ(rows->take_touched(), (std::vector<Key>{3}));
  rows->erase(3, *rows->hold_if_there(3));
  rows->push(keys, std::vector<float>(4, 1.0F), scratch).value();
  EXPECT_TRUE(rows->take_touched().empty());
}

}  // namespace
}  // namespace godwit
