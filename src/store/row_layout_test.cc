// store/row_layout_test.cc: few lines, little padding.
#include "store/row_layout.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

RowLayout layout_of(std::uint32_t row_length, const Rule& rule) {
  return RowLayout::of({.name = "t", .rows = 1, .row_length = row_length, .rule = rule});
}

TEST(RowLayout, RowsOfALineAndMoreAreNotPadded) {
  EXPECT_EQ(layout_of(16, Rule::add()).stride, 16u);
  EXPECT_EQ(layout_of(64, Rule::add()).stride, 64u);
  EXPECT_EQ(layout_of(64, Rule::adagrad(0.1F)).stride, 128u);
}

TEST(RowLayout, ShortRowsDoNotStraddleLines) {
  for (std::uint32_t length = 1; length < 16; ++length) {
    const std::size_t stride = layout_of(length, Rule::add()).stride;
    EXPECT_GE(stride, length);
    EXPECT_EQ(16 % stride, 0u) << length;
  }
}

TEST(RowLayout, PaddingIsAtMostAQuarterLineOrAnEighth) {
  for (std::uint32_t length = 16; length < 2000; ++length) {
    const RowLayout layout = layout_of(length, Rule::add());
    const std::size_t padding = layout.stride - length;
    EXPECT_TRUE(padding < 4 || padding <= length / 8) << length;
  }
}

TEST(RowLayout, StateFollowsTheRule) {
  EXPECT_EQ(layout_of(10, Rule::sgd(0.1F)).state_length, 0u);
  EXPECT_EQ(layout_of(10, Rule::momentum(0.1F)).state_length, 10u);
  EXPECT_EQ(layout_of(10, Rule::adam(0.1F)).state_length, 21u);
}

}  // namespace
}  // namespace godwit
