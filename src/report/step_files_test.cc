// report/step_files_test.cc: columns of the files, and pictures that are well-formed.
#include "report/step_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/timing_map.h"
#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

StepReport some_steps() {
  StepReport report;
  for (int i = 1; i <= 400; ++i) {
    report.steps.push_back({.step = i,
                            .seconds = 0.01 * i,
                            .k = i < 200 ? 1U : 3U,
                            .load = i < 300 ? 4U : 8U,
                            .samples = 12,
                            .assigned = 32,
                            .took = 0.01,
                            .used = 3,
                            .loss = 1.0 / i,
                            .variance = 2,
                            .gradient = std::nan(""),
                            .expected = 0.011,
                            .stage = 2,
                            .reason = "no way made"});
  }
  for (std::int64_t node = 0; node < 4; ++node) {
    report.workers.push_back({.step = 100, .node = node, .comm_median = 0.02, .included = 9});
  }
  report.loads = {4, 8};
  report.expected = {{0.01, 0.02, 0.03, 0.04}, {0.011, 0.022, 0.033, 0.044}};
  return report;
}

TEST(StepFiles, HaveTheColumnsOfTheirHeaders) {
  const StepReport report = some_steps();
  const auto columns = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ',');
  };
  const std::string line = steps_csv({report.steps[0]});
  EXPECT_EQ(columns(line), columns(steps_csv_header()));
  EXPECT_THAT(
      steps_csv_header(),
      HasSubstr("j,t,k,b,B,T_round,used,late_applied,late_dropped,cancelled,loss,V,G2,mu_hat,"
                "stage,reason"));
  EXPECT_EQ(line, "1,0.01,1,4,12,0.01,3,0,0,0,1,2,,0.011,2,no way made,32,0\n");
  EXPECT_EQ(columns(step_workers_csv({report.workers[0]})), columns(step_workers_csv_header()));
}

TEST(StepFiles, StepsAreReadAsTheyWereWritten) {
  const StepReport report = some_steps();
  const std::string text = steps_csv_header() + steps_csv(report.steps);
  const std::vector<StepRecord> read = read_steps_csv(text);
  EXPECT_EQ(steps_csv(read), steps_csv(report.steps));
  for (const std::size_t cut : {1U, 5U, 30U}) {
    EXPECT_EQ(read_steps_csv(text.substr(0, text.size() - cut)).size(), report.steps.size() - 1)
        << "the last line is cut short";
  }
  EXPECT_TRUE(read_steps_csv("1,x,3\n\n,,,\n").empty());
}

TEST(StepFiles, TimesOfWorkersAreReadAsTheyWereWritten) {
  const StepReport report = some_steps();
  ASSERT_FALSE(report.workers.empty());
  const std::string text = step_workers_csv_header() + step_workers_csv(report.workers);
  EXPECT_EQ(step_workers_csv(read_step_workers_csv(text)), step_workers_csv(report.workers));
  EXPECT_EQ(read_step_workers_csv(text.substr(0, text.size() - 1)).size(),
            report.workers.size() - 1);
}

TEST(StepFiles, PicturesAreWellFormed) {
  const auto pictures = step_pictures(some_steps());
  EXPECT_EQ(pictures.size(), 8U);
  for (const std::string& picture : pictures) {
    EXPECT_TRUE(picture.starts_with("<svg")) << picture.substr(0, 40);
    EXPECT_EQ(xml_fault(picture), "");
  }
  EXPECT_TRUE(step_pictures({}).empty());
}

TEST(TimingMap, ShowsEachCellAndTheWay) {
  const std::string map = timing_map(some_steps());
  EXPECT_THAT(map, HasSubstr("k = 3, load 8: 33 ms"));
  EXPECT_THAT(map, HasSubstr("10 to 44 ms"));
  EXPECT_THAT(map, HasSubstr("<polyline"));
}

TEST(TimingMap, TheWayStaysOnTheMap) {
  StepReport report = some_steps();
  const auto way = [](const std::string& map) {
    const std::size_t begin = map.find("points=");
    return map.substr(begin, map.find(" fill", begin) - begin);
  };
  for (StepRecord& step : report.steps) step.load = 8;
  for (StepRecord& step : report.steps) step.k = 4;
  const std::string at_the_corner = way(timing_map(report));
  for (StepRecord& step : report.steps) step.load = 7;
  for (StepRecord& step : report.steps) step.k = 9;
  EXPECT_EQ(way(timing_map(report)), at_the_corner);
}

}  // namespace
}  // namespace godwit
