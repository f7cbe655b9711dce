// core/step_leader_times_test.cc: what the leader takes for the length of a step, and for
// communication.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/steps_fixture.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

StepOptions options_of(const std::string& pace) {
  return {.samples = 10'000, .batch = 8, .epochs = 1, .seed = 7, .pace = pace};
}

constexpr Liveness kPatient{.expel_after = seconds(1'000'000)};

// Who gives up sends no sums, whose way is part of what a step takes.
TEST(StepLeaderTimes, TheWayOfSumsThatAreNotSentIsCommunicationToo) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed:k=1"));
  job.begin();
  job.answer(1, *job.take(1));
  job.cores().now += seconds(1);
  job.cores().run();
  const StepOrder order = *job.take(1);
  ASSERT_GT(order.step, 1U);
  job.give_up(1, order);
  std::vector<std::int64_t> spared;
  for (const WiredCores::OnTheWay& frame : job.cores().on_the_way()) {
    for (const PartView part : open_frame(frame.frame->bytes()).value()) {
      if (part.type == PartType::kStepResult) {
        spared.push_back(StepResult::decode(part).value().spared_ns);
      }
    }
  }
  EXPECT_EQ(spared, std::vector<std::int64_t>{1'000'000'000});
}

// The owners of the rows are two nodes: what the leader's own worker sends to the other is on its
// way for a second.
TEST(StepLeaderTimes, TheWayOfItsOwnSumsIsCommunicationToo) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"));
  job.begin();
  for (int step = 0; step < 2; ++step) {
    job.answer(1, *job.take(1));
    job.cores().run();
    job.answer(0, *job.take(0));
    job.cores().now += seconds(1);
    job.cores().run();
  }
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 2U);
  for (const StepRecord& step : report.steps) EXPECT_NEAR(step.took, 1, 1e-6);
}

TEST(StepLeaderTimes, TheFirstStepTakesNoLongerForWhoBeginsLate) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"));
  const std::vector<std::uint32_t> workers{0};
  job.cores().core(0).begin_steps(job.options(), workers, job.cores().now);
  job.cores().run();
  job.cores().pass(seconds(10));
  job.cores().core(1).begin_steps(job.options(), workers, job.cores().now);
  job.cores().run();
  for (std::uint32_t worker = 0; worker < 2; ++worker) job.answer(worker, *job.take(worker));
  job.cores().run();
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_LT(report.steps[0].took, 1);
}

TEST(StepLeaderTimes, StepsOfAFixedPaceAreForetoldToo) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed:k=2,load=0.6"));
  job.begin();
  for (int step = 0; step < 110; ++step) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) job.answer(worker, *job.take(worker));
    job.cores().now += milliseconds(30);
    job.cores().run();
  }
  const StepReport report = job.report();
  ASSERT_GE(report.steps.size(), 105U);
  EXPECT_TRUE(std::isnan(report.steps[50].expected)) << "before times were looked at";
  EXPECT_NEAR(report.steps[104].expected, 0.03, 0.003);
}

}  // namespace
}  // namespace godwit
