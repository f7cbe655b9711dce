// store/row_kernels_test.cc: every instruction set gives the bits of the scalar rules.
#include "store/row_kernels.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "base/prng.h"
#include "base/simd_targets_fixture.h"
#include "store/rule_oracle.h"

namespace godwit {
namespace {

struct Rows {
  explicit Rows(const RowLayout& of, std::size_t n)
      : layout(of), memory(n * of.stride), anchors(n) {
    for (std::size_t i = 0; i < n; ++i) {
      anchors[i].publish(1);
      refs.push_back({memory.data() + i * layout.stride, &anchors[i], 1});
    }
  }
  RowLayout layout;
  std::vector<float> memory;
  std::vector<Anchor> anchors;
  std::vector<RowRef> refs;
};

void expect_rule_matches(const Rule& rule, std::uint32_t length) {
  const RowLayout layout =
      RowLayout::of({.name = "t", .rows = 9, .row_length = length, .rule = rule});
  Rows rows(layout, 9);
  std::vector<OracleRow> oracle(9);
  for (OracleRow& row : oracle) {
    row.value.assign(length, 0);
    row.state.assign(layout.state_length, 0);
  }
  Prng prng(length);
  std::vector<float> gradients(std::size_t{9} * length);
  for (int batch = 0; batch < 5; ++batch) {
    for (float& g : gradients) g = static_cast<float>(prng.uniform() * 4 - 2);
    ASSERT_EQ(apply_rule(rows.refs, 0, layout, rule, gradients.data()), 9u);
    for (std::size_t i = 0; i < 9; ++i) {
      oracle_push(rule, oracle[i], std::span(gradients).subspan(i * length, length));
    }
  }
  for (std::size_t i = 0; i < 9; ++i) {
    const float* row = rows.refs[i].row;
    EXPECT_EQ(std::vector(row, row + length), oracle[i].value) << to_string(rule) << length;
    EXPECT_EQ(std::vector(row + length, row + layout.row_floats()), oracle[i].state)
        << to_string(rule) << length;
  }
}

TEST(RowKernels, RulesGiveTheSameBitsOnEveryInstructionSet) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const std::uint32_t length : {1U, 3U, 8U, 16U, 19U, 64U, 130U}) {
      for (const Rule& rule :
           {Rule::add(), Rule::sgd(0.3F), Rule::momentum(0.1F, 0.7F), Rule::adagrad(0.2F, 0),
            Rule::adam(0.01F), Rule::elastic(0.3F), Rule::outer(0.7F, 0.9F)}) {
        expect_rule_matches(rule, length);
      }
    }
  }
}

TEST(RowKernels, CopyStopsAtARowThatIsGone) {
  const RowLayout layout{.value_length = 2, .state_length = 0, .stride = 2};
  Rows rows(layout, 4);
  std::iota(rows.memory.begin(), rows.memory.end(), 1.0F);
  rows.refs[2].word = 99;  // something else was looked up
  std::vector<float> out(8, -1);
  EXPECT_EQ(copy_rows_out(rows.refs, 0, layout, out.data()), 2u);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, -1, -1, -1, -1}));
  EXPECT_EQ(copy_rows_out(rows.refs, 3, layout, out.data()), 4u);
  EXPECT_EQ(out[6], 7);
  rows.refs[2] = {};
  EXPECT_EQ(copy_rows_out(rows.refs, 1, layout, out.data()), 2u);
}

TEST(RowKernels, CopyInTouchesStateOnlyIfAsked) {
  const RowLayout layout{.value_length = 3, .state_length = 2, .stride = 5};
  Rows rows(layout, 1);
  std::fill(rows.memory.begin(), rows.memory.end(), 9.0F);
  const std::vector<float> values{1, 2, 3};
  EXPECT_EQ(copy_rows_in(rows.refs, 0, layout, values.data(), false), 1u);
  EXPECT_EQ(rows.memory, (std::vector<float>{1, 2, 3, 9, 9}));
  EXPECT_EQ(copy_rows_in(rows.refs, 0, layout, values.data(), true), 1u);
  EXPECT_EQ(rows.memory, (std::vector<float>{1, 2, 3, 0, 0}));
}

TEST(RowKernels, OneBadNumberAnywhereIsSeen) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    std::vector<float> numbers(201, std::numeric_limits<float>::max());
    EXPECT_TRUE(all_finite(numbers));
    EXPECT_TRUE(all_finite({}));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const float bad :
           {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity()}) {
        numbers[i] = bad;
        ASSERT_FALSE(all_finite(numbers)) << i << " " << hwy::TargetName(target);
        numbers[i] = 0;
      }
    }
  }
}

}  // namespace
}  // namespace godwit
