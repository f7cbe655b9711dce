// placement/return_estimate_test.cc: rows that come back at once, late, and never.
#include "placement/return_estimate.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

using std::chrono::milliseconds;

constexpr RowId kRow{TableId{1}, 77};
constexpr Time kStart{std::chrono::seconds(1000)};

TEST(ReturnEstimate, ARowThatWasNeverHereIsNotBack) {
  ReturnEstimate estimate;
  EXPECT_FALSE(estimate.is_back_soon(kRow, Time{}));
  estimate.note_gone({TableId{1}, 78}, kStart);
  EXPECT_FALSE(estimate.is_back_soon(kRow, kStart));
  EXPECT_FALSE(estimate.is_back_soon({TableId{2}, 78}, kStart));
}

TEST(ReturnEstimate, ARowIsBackSoonForAWhile) {
  ReturnEstimate estimate;
  estimate.note_gone(kRow, kStart);
  EXPECT_TRUE(estimate.is_back_soon(kRow, kStart));
  EXPECT_TRUE(estimate.is_back_soon(kRow, kStart + ReturnEstimate::kSoon));
  EXPECT_FALSE(estimate.is_back_soon(kRow, kStart + ReturnEstimate::kSoon + milliseconds(1)));
  EXPECT_FALSE(estimate.is_back_soon(kRow, kStart + std::chrono::seconds(60)));
}

}  // namespace
}  // namespace godwit
