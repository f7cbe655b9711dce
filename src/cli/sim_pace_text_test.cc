// cli/sim_pace_text_test.cc: medians, tables, JSON, pictures and targets from outcomes made by
// hand.
#include "cli/sim_pace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Outcomes that need so many seconds, or never end if negative.
PaceRuns made(const char* law, const char* policy, const std::vector<double>& seconds,
              std::uint64_t assigned = 1'000'000) {
  PaceRuns runs{sim::find_pace_law(law), policy, {}, {}};
  for (const double time : seconds) {
    sim::PaceOutcome outcome;
    outcome.totals = {.seconds = std::abs(time), .steps = 1000, .assigned = assigned};
    outcome.reached[0] = outcome.totals;
    if (time >= 0) outcome.reached[1] = outcome.reached[2] = outcome.totals;
    outcome.trace = {{0, 1e6, {1, 2}}, {std::abs(time), 1, {40, 40}}};
    runs.seeds.push_back(runs.seeds.size() + 1);
    runs.outcomes.push_back(outcome);
  }
  return runs;
}

TEST(SimPaceText, TablesHaveMediansAndTheWorst) {
  const std::string text = pace_text(
      {made("A", "auto", {5, 30, 10}), made("A", "fixed:1", {-1}), made("E", "auto", {4, 6})});
  EXPECT_THAT(text, HasSubstr("law A: exponential"));
  EXPECT_THAT(text, HasSubstr("law E: shifted exponential; 2 seeds, medians"));
  EXPECT_THAT(text, testing::ContainsRegex("auto +10 +10 +10 +30 +1.0"));
  EXPECT_THAT(text, testing::ContainsRegex("fixed:1 +1 +never +never +never"));
  EXPECT_THAT(text, testing::ContainsRegex("auto +5 +5 +5 +6 "));
}

TEST(SimPaceText, JsonHasOneOutcomeALine) {
  EXPECT_EQ(pace_json_line(made("A", "fixed:1", {-1}), 0),
            R"({"law":"A","policy":"fixed:1","seed":1,"seconds_to_100x":1.000,)"
            R"("seconds_to_10x":null,"seconds_to_1.5x":null,"steps":1000,"assigned":1000000,)"
            R"("performed":0,"used":0,"messages":0})");
}

TEST(SimPaceText, ThePictureHasAColumnForEachLawAndTheBestFixedK) {
  const std::string svg =
      pace_svg({made("A", "fixed:1", {90}), made("A", "fixed:2", {50}), made("A", "auto", {5}),
                made("E", "auto", {5}), made("E", "oracle", {4})});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of(svg, "<svg"), 1 + 3 * 2);
  EXPECT_THAT(svg, HasSubstr("fixed:2"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("fixed:1")));
}

TEST(SimPaceText, SaysWhichTargetsAreMissed) {
  const auto missed = [](const std::vector<PaceRuns>& all) { return judge_pace(all).missed; };
  EXPECT_THAT(missed({made("A", "fixed:20", {41}), made("A", "oracle-k", {10}, 200),
                      made("A", "auto-k", {99}, 200), made("A", "auto", {10}, 110),
                      made("E", "oracle", {10}), made("E", "auto", {15})}),
              IsEmpty());
  EXPECT_THAT(missed({made("A", "fixed:20", {39}), made("A", "auto", {10})}),
              ElementsAre(HasSubstr("0.26 of the time of fixed:20")));
  EXPECT_THAT(missed({made("A", "oracle-k", {9}, 100), made("A", "auto", {10}, 61)}),
              ElementsAre(HasSubstr("time of oracle-k"), HasSubstr("0.61 of the gradients")));
  EXPECT_THAT(missed({made("F", "oracle", {10}), made("F", "auto", {16})}),
              ElementsAre(HasSubstr("law F")));
  EXPECT_THAT(missed({made("A", "auto", {-1}), made("A", "fixed:20", {39})}),
              ElementsAre(HasSubstr("inf")));
  EXPECT_THAT(missed({made("A", "auto", {-1}), made("A", "oracle-k", {-1}, 100)}),
              Contains(HasSubstr("time of oracle-k")))
      << "never is not as good as never";
  EXPECT_EQ(judge_pace({made("E", "oracle", {10}), made("E", "auto", {15})}).judged, 1U);
  EXPECT_EQ(judge_pace({made("J", "oracle", {10}), made("J", "auto", {15})}).judged, 0U);
}

}  // namespace
}  // namespace godwit
