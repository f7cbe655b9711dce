// bench/missed_cases_test.cc: what is wanted and not reached is named, and nothing else.
#include "bench/missed_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BenchResult result_of(const char* name, double ratio, double wanted) {
  return {.bench = "some",
          .case_name = name,
          .unit = "s",
          .ratio = ratio,
          .figures = {{"steps", 100}, {kWanted, wanted}}};
}

TEST(MissedCases, AreThoseBelowWhatIsWanted) {
  const std::vector<BenchResult> results{result_of("far", 0.5, 0.95), result_of("at", 2, 2),
                                         result_of("above", 3, 2), result_of("near", 0.9499, 0.95)};
  EXPECT_THAT(missed_cases(results),
              ElementsAre("far: the ratio is 0.5, but 0.95 is wanted", HasSubstr("near: ")));
  EXPECT_EQ(count_wanted(results), 4U);
}

TEST(MissedCases, NothingIsMissedWhereNothingIsWanted) {
  BenchResult plain = result_of("plain", 0.1, 0);
  EXPECT_THAT(missed_cases({plain}), IsEmpty());
  plain.figures.clear();
  EXPECT_THAT(missed_cases({plain}), IsEmpty());
  EXPECT_EQ(count_wanted({plain}), 0U);
}

TEST(MissedCases, WhatWasNotReachedOrIsNoNumberIsMissed) {
  EXPECT_THAT(missed_cases({result_of("never", 0, 3), result_of("odd", std::nan(""), 3)}),
              ElementsAre(HasSubstr("never: "), HasSubstr("odd: ")));
}

}  // namespace
}  // namespace godwit
