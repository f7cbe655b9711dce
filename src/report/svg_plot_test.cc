// report/svg_plot_test.cc: ticks are round, lines are where they must be, text cannot break out.
#include "report/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.h"
#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Plot plot_of(std::vector<PlotPoint> points) {
  Plot plot{.title = "Loss", .x_label = "seconds", .y_label = "mean"};
  plot.series = {{.name = "training", .points = std::move(points)}};
  return plot;
}

TEST(RoundTicks, AreTheNumbersAPersonWouldChoose) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(0, 97, 5), ElementsAre(0, 20, 40, 60, 80));
  EXPECT_THAT(round_ticks(-3, 4, 4), ElementsAre(-2, 0, 2, 4));
  EXPECT_THAT(round_ticks(1200, 1390, 4), ElementsAre(1200, 1250, 1300, 1350));
}

TEST(RoundTicks, LieInsideAreEvenAndAsManyAsWanted) {
  Prng prng(11);
  for (int round = 0; round < 2000; ++round) {
    const double low = (prng.uniform() - 0.5) * std::pow(10, 12 * prng.uniform() - 6);
    const double high = low + (prng.uniform() + 1e-3) * std::pow(10, 12 * prng.uniform() - 6);
    const int wanted = 2 + static_cast<int>(prng.next() % 8);
    const std::vector<double> ticks = round_ticks(low, high, wanted);
    const double slack = 1e-6 * (high - low) + 1e-15 * std::max(std::abs(low), std::abs(high));
    ASSERT_LE(static_cast<int>(ticks.size()), wanted + 1);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      ASSERT_GE(ticks[i], low - slack);
      ASSERT_LE(ticks[i], high + slack);
      if (i < 2) continue;
      ASSERT_NEAR(ticks[i] - ticks[i - 1], ticks[1] - ticks[0], slack);
    }
    ASSERT_GE(ticks.size(), wanted >= 5 ? 2U : 0U) << low << " " << high;
  }
}

TEST(RoundTicks, NumbersTooLargeToCountByOnesEndToo) {
  EXPECT_LE(round_ticks(1e17, 1e17 + 64, 5).size(), 7U);
}

TEST(TickText, HasAsManyDigitsAsTheStepNeeds) {
  EXPECT_EQ(tick_text(0, 1), "0");
  EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_text(1, 0.2), "1.0");
  EXPECT_EQ(tick_text(40, 20), "40");
  EXPECT_EQ(tick_text(1500, 500), "1500");
  EXPECT_EQ(tick_text(12000, 2000), "12k");
  EXPECT_EQ(tick_text(12500, 500), "12.5k");
  EXPECT_EQ(tick_text(-2e6, 1e6), "-2M");
  EXPECT_EQ(tick_text(2.5e9, 5e8), "2.5G");
  EXPECT_EQ(tick_text(1e-6, 1e-6), "1e-06");
}

TEST(SvgPlot, FewerThanTwoPointsAreNoDataYet) {
  const double nan = std::nan("");
  Plot none = plot_of({});
  none.series.clear();
  EXPECT_THAT(to_svg(none), HasSubstr("no data yet"));
  EXPECT_THAT(to_svg(plot_of({})), HasSubstr("no data yet"));
  EXPECT_THAT(to_svg(plot_of({{1, 2}})), HasSubstr("no data yet"));
  EXPECT_THAT(to_svg(plot_of({{1, 2}, {2, nan}, {nan, 3}})), HasSubstr("no data yet"));
  EXPECT_THAT(to_svg(plot_of({{1, 2}, {2, 3}})), Not(HasSubstr("no data yet")));
  EXPECT_EQ(xml_fault(to_svg(none)), "");
}

TEST(SvgPlot, PointsThatAreNotFiniteAreLeftOut) {
  const std::string svg =
      to_svg(plot_of({{0, 1}, {1, std::nan("")}, {2, INFINITY}, {2, 1e308}, {3, 2}, {4, 3}}));
  EXPECT_EQ(count_of(svg, "<circle"), 3);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(SvgPlot, LinesGoFromCornerToCorner) {
  Plot plot = plot_of({{0, 0}, {10, 100}});
  EXPECT_THAT(to_svg(plot), HasSubstr("d=\"M64.0 246.0L542.0 56.0\""));
  plot.series[0].steps = true;
  EXPECT_THAT(to_svg(plot), HasSubstr("d=\"M64.0 246.0H542.0V56.0\""));
}

TEST(SvgPlot, TheAxisEndsAtARoundNumberAboveTheLine) {
  const std::string svg = to_svg(plot_of({{0, 0}, {10, 97}}));
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
  EXPECT_THAT(svg, HasSubstr("L542.0 61.7\""));
}

TEST(SvgPlot, AxesBeginAtZeroWhenAsked) {
  Plot plot = plot_of({{5, 50}, {10, 100}});
  EXPECT_THAT(to_svg(plot), HasSubstr("d=\"M64.0 246.0L542.0 56.0\""));
  plot.x_from_zero = true;
  plot.y_from_zero = true;
  EXPECT_THAT(to_svg(plot), HasSubstr("d=\"M303.0 151.0L542.0 56.0\""));
}

TEST(SvgPlot, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  Plot plot = plot_of({{0, 1000}, {1, 0}, {2, -5}, {3, 31.6227766}, {4, 1}});
  plot.log_y = true;
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count_of(svg, "<circle"), 3);
  EXPECT_THAT(svg, HasSubstr("cy=\"151.0\""));  // half the height is the root of 1000
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
}

TEST(SvgPlot, AConstantIsALineInTheMiddle) {
  for (const double y : {0.0, 5.0, -1e9, 1e-12}) {
    const std::string svg = to_svg(plot_of({{0, y}, {1, y}}));
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << y;
    EXPECT_THAT(svg, HasSubstr("<path")) << y;
  }
}

TEST(SvgPlot, ManyPointsAreThinnedButExtremesStay) {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 50'000; ++i) points.push_back({static_cast<double>(i), std::sin(i * 0.01)});
  points[31'337].y = 40;
  points[7'000].y = -40;
  const std::string svg = to_svg(plot_of(points));
  EXPECT_LT(svg.size(), 60'000U);
  EXPECT_THAT(svg, HasSubstr("training: 40 at"));
  EXPECT_THAT(svg, HasSubstr("training: -40 at"));
}

TEST(SvgPlot, SeveralSeriesHaveALegendAndOneHasNone) {
  Plot plot = plot_of({{0, 1}, {1, 2}});
  EXPECT_THAT(to_svg(plot), Not(HasSubstr(">training</text>")));
  plot.series.push_back({.name = "held out", .points = {{0, 2}, {1, 3}}});
  const std::string svg = to_svg(plot);
  EXPECT_THAT(svg, HasSubstr(">training</text>"));
  EXPECT_THAT(svg, HasSubstr(">held out</text>"));
  EXPECT_THAT(svg, HasSubstr("class=\"s1\""));
}

TEST(SvgPlot, TextCannotBreakOut) {
  const std::string evil = "</text><script>\"&'\x01\xff";
  Plot plot = plot_of({{0, 1}, {1, 2}});
  plot.title = plot.x_label = plot.y_label = plot.y_unit = plot.series[0].name = evil;
  plot.series.push_back(plot.series[0]);
  const std::string svg = to_svg(plot);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(SvgPlot, RandomPlotsAreWellFormedAndStayInside) {
  Prng prng(5);
  for (int round = 0; round < 200; ++round) {
    Plot plot{.title = "p"};
    plot.log_y = prng.next() % 2 == 0;
    plot.y_from_zero = prng.next() % 2 == 0;
    for (std::uint64_t s = prng.next() % 9; s > 0; --s) {
      PlotSeries series{.name = "s", .points = {}, .steps = prng.next() % 2 == 0};
      const double size = std::pow(10, 20 * prng.uniform() - 10);
      for (std::uint64_t i = 0; i < prng.next() % 30; ++i) {
        series.points.push_back({static_cast<double>(i), (prng.uniform() - 0.3) * size});
      }
      plot.series.push_back(series);
    }
    const std::string svg = to_svg(plot);
    ASSERT_EQ(xml_fault(svg), "") << svg;
    for (std::size_t at = svg.find("cy=\""); at != std::string::npos;
         at = svg.find("cy=\"", at + 1)) {
      const double y = std::stod(svg.substr(at + 4));
      ASSERT_GE(y, 55.8);
      ASSERT_LE(y, 246.2);
    }
  }
}

}  // namespace
}  // namespace godwit
