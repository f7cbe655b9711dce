// train/figure_text_test.cc: counts are whole, shares are not.
#include "train/figure_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace godwit {
namespace {

TEST(FigureText, CountsHaveNoDecimals) {
  EXPECT_EQ(figure_text("support", 50), "50");
  EXPECT_EQ(figure_text("questions", 7027), "7,027");
  EXPECT_EQ(figure_text("counts_off", 0), "0");
}

TEST(FigureText, WhatIsNoCountKeepsThem) {
  EXPECT_EQ(figure_text("mrr", 1), "1.0000");
  EXPECT_EQ(figure_text("rmse", 0.10134), "0.1013");
  EXPECT_EQ(figure_text("perplexity", 3152.548), "3152.5");
  EXPECT_EQ(figure_text("counts_off", 0.5), "0.5000") << "it must be seen that this is wrong";
  EXPECT_EQ(figure_text("support", std::nan("")), "nan");
  EXPECT_EQ(figure_text("counts_off", -2), "-2.0000");
}

}  // namespace
}  // namespace godwit
