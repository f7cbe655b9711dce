// sim/pace_study_test.cc: times and counts of a study at a size that a unit test can afford.
#include "sim/pace_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pace/exponential_model.h"

namespace godwit::sim {
namespace {

TEST(PaceStudy, TrueTimesAgreeWithTheExponentialModel) {
  PaceStudy study({});
  const ExponentialModel model(50, 1, 1);
  const auto half = model.order_means(0.6);
  int seen = 0;
  for (const TimedChoice& timed : study.true_times(*find_pace_law("A"))) {
    if (timed.choice.load != 24) continue;
    EXPECT_NEAR(timed.seconds / half[timed.choice.k - 1], 1, 0.03) << timed.choice.k;
    ++seen;
  }
  EXPECT_EQ(seen, 50);
}

TEST(PaceStudy, TargetsAreReachedInTheirOrderAndTheTraceLeadsThere) {
  PaceStudy study({.steps_max = 20'000, .dimension_max = 20, .samples_max = 2000});
  const PaceOutcome outcome = study.run(*find_pace_law("J"), "auto", 1);
  ASSERT_TRUE(outcome.reached[0] && outcome.reached[1] && outcome.reached[2]);
  EXPECT_LE(outcome.reached[0]->seconds, outcome.reached[1]->seconds);
  EXPECT_LE(outcome.reached[1]->seconds, outcome.reached[2]->seconds);
  EXPECT_EQ(outcome.totals.seconds, outcome.reached[2]->seconds);
  EXPECT_EQ(outcome.trace.front().seconds, 0);
  EXPECT_EQ(outcome.trace.back().seconds, outcome.totals.seconds);
  EXPECT_LE(outcome.trace.back().error, 1.5);
  EXPECT_TRUE(std::ranges::is_sorted(outcome.trace, {}, &PaceTracePoint::seconds));
}

TEST(PaceStudy, EndsAtTheLastStep) {
  PaceStudy study({.steps_max = 50, .dimension_max = 20, .samples_max = 2000});
  const PaceOutcome outcome = study.run(*find_pace_law("A"), "fixed:1", 1);
  EXPECT_FALSE(outcome.reached[2]);
  EXPECT_EQ(outcome.totals.steps, 50U);
}

TEST(PaceStudy, ARunDoesNotDependOnThoseBefore) {
  const PaceStudyOptions options{.steps_max = 3000, .dimension_max = 20, .samples_max = 1000};
  PaceStudy alone(options);
  PaceStudy other(options);
  other.run(*find_pace_law("F"), "auto", 2);
  other.run(*find_pace_law("J"), "oracle", 1);
  EXPECT_EQ(alone.run(*find_pace_law("E"), "auto", 1).totals.seconds,
            other.run(*find_pace_law("E"), "auto", 1).totals.seconds);
}

// D5 and D6 in small: three seeds; `godwit sim pace --verify` has all of them.
TEST(PaceStudy, AutoIsFasterThanWaitingForAFixedNumber) {
  PaceStudy study({.dimension_max = 20, .samples_max = 2000});
  for (const char* law : {"A", "E"}) {
    const auto median = [&](const char* policy) {
      std::array<double, 3> all{};
      for (std::uint64_t seed = 1; seed <= all.size(); ++seed) {
        const PaceOutcome outcome = study.run(*find_pace_law(law), policy, seed);
        all[seed - 1] = outcome.reached[2] ? outcome.reached[2]->seconds : 1e9;
      }
      std::ranges::sort(all);
      return all[1];
    };
    const double ours = median("auto");
    EXPECT_LT(ours, median("fixed:20") / (law[0] == 'A' ? 3 : 1.5)) << law;
    EXPECT_LT(ours, 1.5 * median("oracle")) << law;
  }
}

}  // namespace
}  // namespace godwit::sim
