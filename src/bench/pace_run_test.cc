// bench/pace_run_test.cc: what is read from the files of a run.
#include "bench/pace_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr const char* kJudged =
    "{\"seconds\":2.5,\"epoch\":1,\"split\":\"test\",\"accuracy\":0.5}\n";

TEST(JudgedRun, TheTargetIsReachedBetweenJudgements) {
  const std::vector<JudgedRun::Judged> judged{{2, 0.5}, {4, 0.75}, {6, 0.625}, {8, 1}};
  EXPECT_EQ(seconds_until(judged, 0.25, true), 2) << "before the first one, nobody knows when";
  EXPECT_EQ(seconds_until(judged, 0.5, true), 2);
  EXPECT_EQ(seconds_until(judged, 0.625, true), 3) << "once is enough";
  EXPECT_EQ(seconds_until(judged, 0.8125, true), 7);
  EXPECT_FALSE(seconds_until(judged, 1.5, true).has_value());
  EXPECT_FALSE(seconds_until({}, 0.5, true).has_value());
  EXPECT_EQ(seconds_until({{1, 4}, {3, 2}}, 3, false), 2);
  EXPECT_FALSE(seconds_until({{1, 4}, {3, 2}}, 1, false).has_value());
}

TEST(JudgedRun, StepsAreSummedUpByTheNamesOfColumns) {
  const auto run = read_pace_run(kJudged,
                                 "j,late_dropped,V,used,reason,assigned\n"
                                 "1,0,,3,start,64\n"
                                 "2,2,0.5,4,start,128\n",
                                 "accuracy");
  EXPECT_EQ(run->steps, 2U);
  EXPECT_EQ(run->gradients, 192);
  EXPECT_EQ(run->results, 9);
  EXPECT_EQ(run->judged.size(), 1U);
  EXPECT_EQ(run->judged[0].seconds, 2.5);
  EXPECT_EQ(run->judged[0].value, 0.5);
  EXPECT_EQ(read_pace_run(kJudged, std::nullopt, "accuracy")->steps, 0U);
}

TEST(JudgedRun, WhatIsNotUnderstoodIsRefused) {
  EXPECT_FALSE(read_pace_run("", std::nullopt, "accuracy").ok());
  EXPECT_FALSE(read_pace_run("{\"seconds\":1}\n", std::nullopt, "accuracy").ok());
  EXPECT_FALSE(read_pace_run(kJudged, std::nullopt, "rmse").ok());
  EXPECT_FALSE(read_pace_run(kJudged, "j,used\n1,2\n", "accuracy").ok());
  EXPECT_FALSE(read_pace_run(kJudged, "used,late_dropped,assigned\n1,2\n", "accuracy").ok());
}

}  // namespace
}  // namespace godwit
