// report/run_report_test.cc: the page is whole, needs nothing else, and says what it must.
#include "report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/sample_run_fixture.h"
#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string sample_html() {
  return run_report_html(run_report_of(sample_run_lines()));
}

TEST(RunReport, IsWellFormed) {
  EXPECT_EQ(xml_fault(sample_html()), "");
  EXPECT_EQ(xml_fault(run_report_html(RunReport{})), "");
}

TEST(RunReport, NeedsNoNetworkAndNoScript) {
  std::string html = sample_html();
  const std::string name_space = "http://www.w3.org/2000/svg";
  for (std::size_t at = html.find(name_space); at != std::string::npos;
       at = html.find(name_space)) {
    html.erase(at, name_space.size());
  }
  for (const char* outside : {"http:", "https:", "<script", "<link", "@import", "url(", "src="}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(RunReport, ShowsTheFigures) {
  const std::string html = sample_html();
  const auto figure = [](const std::string& name, const std::string& value) {
    return "<div class=\"name\">" + name + "</div><div class=\"value\">" + value + "</div>";
  };
  EXPECT_THAT(html, HasSubstr("<h1>kge <span>on</span> wordnet</h1>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"badge good\">finished</span>"));
  EXPECT_THAT(html, HasSubstr(figure("MRR", "0.4739")));
  EXPECT_THAT(html, HasSubstr(figure("test MRR", "0.471")));
  EXPECT_THAT(html, HasSubstr(figure("time", "1:43")));
  EXPECT_THAT(html, HasSubstr(figure("nodes × workers", "4 × 2")));
  EXPECT_THAT(html, HasSubstr(figure("throughput", "182k")));
  EXPECT_THAT(html, HasSubstr(figure("local share", "99.3 %")));
}

TEST(RunReport, TheBestIsTheLowestWhereLowerIsBetter) {
  RunReport report;
  report.start.quality_name = "RMSE";
  for (const double rmse : {0.9, 0.7, 0.8}) {
    MetricLine line;
    line.add(metric::kSeconds, 10 * rmse).add(metric::kQuality, rmse);
    report.progress.push_back(line);
  }
  const std::string best = "<div class=\"name\">best RMSE</div><div class=\"value\">";
  EXPECT_THAT(run_report_html(report), HasSubstr(best + "0.9<"));
  report.start.quality_higher_is_better = false;
  EXPECT_THAT(run_report_html(report), HasSubstr(best + "0.7<"));
  EXPECT_THAT(run_report_html(report), HasSubstr("after 7.0 s"));
}

TEST(RunReport, ShowsSettingsSectionsDataAndEnvironment) {
  const std::string html = sample_html();
  EXPECT_THAT(html, HasSubstr("<code>rank</code></td><td><code>128</code></td>"
                              "<td class=\"chosen\">flag --set</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"default\">built-in</td>"));
  EXPECT_THAT(html, HasSubstr("<h2>Nearest neighbours</h2>"));
  EXPECT_THAT(html, HasSubstr("<td>stream.n.01</td><td class=\"number\">0.87</td>"));
  EXPECT_THAT(html, HasSubstr("2. wader.n.01 &amp; others</pre>"));
  EXPECT_THAT(html, HasSubstr("<li>wordnet: 151,442 triples"));
  EXPECT_THAT(html, HasSubstr("<td class=\"key\">compiler</td><td>GCC 12.2.0</td>"));
  EXPECT_EQ(count_of(html, "<svg"), 8);
}

TEST(RunReport, ARunWithoutAnEndSaysSo) {
  const std::vector<MetricLine> lines = sample_run_lines();
  const std::string html = run_report_html(run_report_of(std::span(lines).first(11)));
  EXPECT_THAT(html, HasSubstr("<span class=\"badge bad\">not ended</span>"));
  EXPECT_EQ(count_of(html, "no data yet"), 2);
  EXPECT_EQ(xml_fault(html), "");
}

TEST(RunReport, ATimeThatMakesNoSenseIsNotShown) {
  RunReport report;
  for (const double seconds : {-1.0, 1e300, std::nan("")}) {
    report.end = RunEnd{.seconds = seconds};
    EXPECT_THAT(run_report_html(report), HasSubstr("<div class=\"value\">?</div>"));
  }
}

TEST(RunReport, TextCannotBreakOut) {
  const std::string evil = "</pre></td></style><script>alert(\"&\x02\xff')";
  RunReport report;
  report.start = {
      .task = evil, .data = evil, .date = evil, .quality_name = evil, .rate_unit = evil};
  report.end = RunEnd{1, evil, {{evil, evil}}};
  report.settings = {{evil, evil, evil}};
  report.environment = {{"host", evil}, {evil, evil}};
  report.data_notes = {evil};
  report.alarms = {{1.5, evil}};
  report.sections = {{evil, evil, {{evil, evil}, {evil}, {evil, evil, evil}}}};
  for (const double seconds : {1.0, 2.0}) {
    MetricLine line;
    line.add(metric::kSeconds, seconds).add(metric::kQuality, 0.5).add(metric::kRate, 0.0);
    report.progress.push_back(line);
  }
  const std::string html = run_report_html(report);
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace godwit
