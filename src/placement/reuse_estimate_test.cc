// placement/reuse_estimate_test.cc: rows used once, again and again, and taken away each time.
#include "placement/reuse_estimate.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr RowId kRow{TableId{1}, 77};

// How many visits until the row is asked for.
int visits_until_asked(ReuseEstimate& reuse) {
  for (int visits = 0; visits < 1000; ++visits) {
    if (reuse.note_absent(kRow)) return visits;
  }
  return -1;
}

TEST(ReuseEstimate, ARowIsAskedForAfterTwoVisits) {
  ReuseEstimate reuse;
  EXPECT_EQ(visits_until_asked(reuse), 2);
}

TEST(ReuseEstimate, WhatIsTakenAwayUnusedIsVisitedTwiceAsOften) {
  ReuseEstimate reuse;
  for (const int visits : {2, 4, 8, 16, 32, 64, 128, 128}) {
    EXPECT_EQ(visits_until_asked(reuse), visits);
  }
}

TEST(ReuseEstimate, WhatIsUsedIsAskedForSoonerAgain) {
  ReuseEstimate reuse;
  for (int i = 0; i < 3; ++i) visits_until_asked(reuse);
  for (const int visits : {16, 8, 4, 2, 2}) {
    EXPECT_EQ(visits_until_asked(reuse), visits);
    reuse.note_present(kRow);
    reuse.note_present(kRow);
  }
}

TEST(ReuseEstimate, OneUseIsNotEnough) {
  ReuseEstimate reuse;
  visits_until_asked(reuse);
  reuse.note_present(kRow);
  EXPECT_EQ(visits_until_asked(reuse), 4);
}

TEST(ReuseEstimate, RowsAreKeptApart) {
  ReuseEstimate reuse;
  int asked = 0;
  for (Key key = 0; key < 10'000; ++key) asked += reuse.note_absent({TableId{1}, key}) ? 1 : 0;
  for (Key key = 0; key < 10'000; ++key) asked += reuse.note_absent({TableId{1}, key}) ? 1 : 0;
  EXPECT_EQ(asked, 0) << "each was wanted twice";
}

}  // namespace
}  // namespace godwit
