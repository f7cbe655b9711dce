// report/run_plots_test.cc: which plots there are, and in which units.
#include "report/run_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_run_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;

std::vector<std::string> titles_of(const std::vector<Plot>& plots) {
  std::vector<std::string> titles;
  for (const Plot& plot : plots) titles.push_back(plot.title);
  return titles;
}

RunReport report_of(std::vector<std::pair<double, double>> losses) {
  RunReport report;
  for (const auto& [seconds, loss] : losses) {
    MetricLine line;
    line.add(metric::kSeconds, seconds).add(metric::kLoss, loss);
    report.progress.push_back(line);
  }
  return report;
}

TEST(RunPlots, WhatNoLineMentionsHasNoPlotButLossAndQualityDo) {
  EXPECT_THAT(titles_of(run_plots(RunReport{})), ElementsAre("Loss", "Quality"));
  EXPECT_THAT(titles_of(run_plots(run_report_of(sample_run_lines()))),
              ElementsAre("Loss", "Quality", "Throughput", "Local share", "Sent", "Waiting",
                          "Replicas", "Relocations"));
}

TEST(RunPlots, SharesArePercent) {
  const std::vector<Plot> plots = run_plots(run_report_of(sample_run_lines()));
  EXPECT_EQ(plots[3].y_unit, "%");
  EXPECT_GT(plots[3].series[0].points.back().y, 90);
  EXPECT_EQ(plots[5].series.size(), 2U);
  EXPECT_EQ(plots[5].series[0].name, "for rows");
}

TEST(RunPlots, TimeIsInTheUnitThatSuits) {
  const auto at_end = [](double seconds) {
    const Plot plot = run_plots(report_of({{0, 1}, {seconds, 1}})).front();
    return std::pair(plot.x_label, plot.series[0].points.back().x);
  };
  EXPECT_EQ(at_end(120), std::pair(std::string("seconds"), 120.0));
  EXPECT_EQ(at_end(1200), std::pair(std::string("minutes"), 20.0));
  EXPECT_EQ(at_end(36000), std::pair(std::string("hours"), 10.0));
}

TEST(RunPlots, ALossThatFallsByMagnitudesIsLogarithmic) {
  EXPECT_TRUE(run_plots(report_of({{0, 100}, {1, 0.5}})).front().log_y);
  EXPECT_FALSE(run_plots(report_of({{0, 100}, {1, 50}})).front().log_y);
  EXPECT_FALSE(run_plots(report_of({{0, 100}, {1, -0.5}})).front().log_y);
}

}  // namespace
}  // namespace godwit
