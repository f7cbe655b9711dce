// report/run_lines_test.cc: a report is the same after a trip through metrics.jsonl.
#include "report/run_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_run_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::Pair;

RunReport after_a_trip(const std::vector<MetricLine>& lines) {
  std::vector<MetricLine> read;
  for (const MetricLine& line : lines) read.push_back(parse_metric_line(line.to_json()).value());
  return run_report_of(read);
}

TEST(RunLines, StartAndEndComeBack) {
  RunStart start{.task = "mf", .data = "films", .date = "today", .nodes = 3, .workers = 5};
  start.quality_name = "RMSE";
  start.quality_higher_is_better = false;
  start.rate_unit = "ratings/s";
  const RunReport report =
      after_a_trip({to_line(start), to_line(RunEnd{12.5, "interrupted", {{"test", "0.9"}}})});
  EXPECT_EQ(report.start.task, "mf");
  EXPECT_EQ(report.start.data, "films");
  EXPECT_EQ(report.start.date, "today");
  EXPECT_EQ(report.start.nodes, 3);
  EXPECT_EQ(report.start.workers, 5);
  EXPECT_EQ(report.start.quality_name, "RMSE");
  EXPECT_FALSE(report.start.quality_higher_is_better);
  EXPECT_EQ(report.start.rate_unit, "ratings/s");
  ASSERT_TRUE(report.end.has_value());
  EXPECT_EQ(report.end->seconds, 12.5);
  EXPECT_EQ(report.end->outcome, "interrupted");
  EXPECT_THAT(report.end->figures, ElementsAre(Pair("test", "0.9")));
}

TEST(RunLines, SectionsComeBackWithTheirTables) {
  const RunReport report = after_a_trip({to_line(RunSection{
      .title = "T", .text = "one\ntwo", .table = {{"a", "b"}, {"1", ""}, {"x\ty", "u\nv"}}})});
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_EQ(report.sections[0].text, "one\ntwo");
  EXPECT_THAT(report.sections[0].table,
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", ""), ElementsAre("x y", "u v")));
}

TEST(RunLines, OfWhatIsSaidTwiceTheLastCounts) {
  const RunReport report = after_a_trip(
      {to_line(RunSetting{"seed", "1", "built-in"}), to_line(RunSetting{"rank", "8", "flag"}),
       to_line(RunSetting{"seed", "2", "flag"}), to_line(RunSection{.title = "T", .text = "old"}),
       to_line(RunSection{.title = "T", .text = "new"}), environment_line("host", "a"),
       environment_line("host", "b"), data_note_line("note"), data_note_line("note"),
       alarm_line(2, "slow"), alarm_line(3, "slow")});
  ASSERT_EQ(report.settings.size(), 2U);
  EXPECT_EQ(report.settings[0].value, "2");
  EXPECT_EQ(report.settings[0].source, "flag");
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_EQ(report.sections[0].text, "new");
  EXPECT_THAT(report.environment, ElementsAre(Pair("host", "b")));
  EXPECT_THAT(report.data_notes, ElementsAre("note"));
  EXPECT_THAT(report.alarms, ElementsAre(std::pair(2.0, "slow"), std::pair(3.0, "slow")));
}

TEST(RunLines, ARunThatIsResumedHasNotEnded) {
  const MetricLine start = to_line(RunStart{.task = "mf"});
  const MetricLine end = to_line(RunEnd{.outcome = "interrupted"});
  EXPECT_TRUE(after_a_trip({start, end}).end.has_value());
  EXPECT_FALSE(after_a_trip({start, end, start}).end.has_value());
}

TEST(RunLines, ProgressIsWhatHasNoEventAndTheUnknownIsLeftOut) {
  MetricLine progress;
  progress.add(metric::kSeconds, 1.0);
  MetricLine later;
  later.add("event", "of a later version");
  const RunReport report = after_a_trip({progress, later, progress});
  EXPECT_THAT(report.progress, ElementsAre(progress, progress));
}

TEST(RunLines, NumbersThatMakeNoSenseAreNotTaken) {
  const RunReport report = run_report_of(
      std::vector{parse_metric_line(R"({"event":"start","nodes":null,"workers":1e300})").value()});
  EXPECT_EQ(report.start.nodes, 1);
  EXPECT_EQ(report.start.workers, 1);
}

TEST(RunLines, TheSampleSaysAllThereIs) {
  const RunReport report = after_a_trip(sample_run_lines());
  EXPECT_EQ(report.progress.size(), 60U);
  EXPECT_EQ(report.settings.size(), 5U);
  EXPECT_EQ(report.sections.size(), 2U);
  EXPECT_EQ(report.data_notes.size(), 2U);
  EXPECT_EQ(report.environment.size(), 3U);
}

}  // namespace
}  // namespace godwit
