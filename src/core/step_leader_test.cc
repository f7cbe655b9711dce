// core/step_leader_test.cc: one run of steps after another, stops, and workers that need longer
// than was known.
#include "core/step_leader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "core/steps.h"
#include "core/steps_fixture.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

StepOptions options_of(const std::string& pace, const std::string& late = "drop") {
  return {.samples = 10'000, .batch = 8, .epochs = 1, .seed = 7, .pace = pace, .late = late};
}

constexpr Liveness kPatient{.expel_after = seconds(1'000'000)};

// All nodes begin, with these workers each.
void begin(StepJob& job, const StepOptions& options, const std::vector<std::uint32_t>& workers) {
  for (std::int64_t node = job.cores().nodes() - 1; node >= 0; --node) {
    job.cores().core(node).begin_steps(options, workers, job.cores().now);
  }
  job.cores().run();
}

void stop(StepJob& job) {
  job.cores().core(0).stop_steps(job.cores().now);
  job.cores().run();
}

// The order of one worker of a node, by the number that the node knows it by.
std::optional<StepOrder> order_of(StepJob& job, std::int64_t node, std::int64_t worker) {
  NodeCore& core = job.cores().core(node);
  const TicketId ticket = core.waits().reserve();
  core.await_step(ticket, WorkerId{worker});
  if (!core.waits().is_done(ticket)) {
    core.waits().abandon(ticket);
    return std::nullopt;
  }
  if (core.waits().take(ticket).error) return std::nullopt;
  return core.steps().member().take(WorkerId{worker}).value();
}

StepLeader& leader_of(StepJob& job) {
  return *job.cores().core(0).steps().leader();
}

TEST(StepLeader, WorkersOfEarlierStepsHaveNoPartInLaterOnes) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"), 2);
  begin(job, job.options(), {0});
  EXPECT_TRUE(order_of(job, 0, 0));
  stop(job);
  begin(job, job.options(), {1});
  EXPECT_FALSE(order_of(job, 0, 0)) << "nobody said that it would be there";
  for (std::int64_t node = 0; node < 2; ++node) {
    const auto order = order_of(job, node, 1);
    ASSERT_TRUE(order);
    job.answer(static_cast<std::uint32_t>(2 * node + 1), *order);
  }
  job.cores().run();
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 1U) << "only who is there is waited for";
  EXPECT_EQ(report.steps[0].live, 2U);
  EXPECT_EQ(report.steps[0].used, 2U);
}

TEST(StepLeader, AStopWhileNodesJoinIsNotForgotten) {
  StepJob job({.nodes = 2}, options_of("fixed"));
  const std::vector<std::uint32_t> workers{0};
  job.cores().core(0).begin_steps(job.options(), workers, job.cores().now);
  job.cores().run();
  stop(job);
  EXPECT_TRUE(leader_of(job).is_joining());
  job.cores().core(1).begin_steps(job.options(), workers, job.cores().now);
  job.cores().run();
  for (std::int64_t node = 0; node < 2; ++node) {
    const auto order = order_of(job, node, 0);
    ASSERT_TRUE(order);
    EXPECT_TRUE(order->is_last);
  }
  begin(job, job.options(), workers);
  EXPECT_FALSE(order_of(job, 0, 0)->is_last) << "it was a stop of those steps alone";
}

// What owners say of a step may come when others are about to begin.
TEST(StepLeader, AnswersToQuestionsOfEarlierStepsAreIgnored) {
  StepJob job({.nodes = 2}, options_of("fixed"));
  job.begin();
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  // Node 0 has begun step 2, and node 1 has not said yet how far step 1 went.
  while (job.cores().core(0).steps().begun() < 2) job.cores().deliver();
  job.cores().core(0).stop_steps(job.cores().now);
  StepOptions others = job.options();
  others.batch = 4;
  const std::vector<std::uint32_t> workers{0};
  job.cores().core(0).begin_steps(others, workers, job.cores().now);
  for (const std::uint64_t step : {1U, 2U, 3U}) {
    leader_of(job).on_movement(NodeId{0}, {.step = step, .distance = 1});
    leader_of(job).on_movement(NodeId{1}, {.step = step, .distance = 1});
  }
  job.cores().run();
  job.cores().core(1).begin_steps(others, workers, job.cores().now);
  job.cores().run();
  EXPECT_EQ(order_of(job, 1, 0)->shares[0].count, 4U);
}

TEST(StepLeader, ANodeMayBeLostWhileMoreWorkersThanBeforeJoin) {
  StepJob job({.nodes = 3, .servers = 1, .liveness = {.expel_after = seconds(1000)}},
              options_of("fixed"), 2);
  begin(job, job.options(), {0});
  stop(job);
  const std::vector<std::uint32_t> two{0, 1};
  job.cores().core(2).begin_steps(job.options(), two, job.cores().now);
  job.cores().core(0).begin_steps(job.options(), two, job.cores().now);
  job.cores().run();
  for (std::int64_t other = 0; other < 2; ++other) {
    job.cores().core(other).on_down(NodeId{2}, Error(ErrorCode::kUnavailable, "reset"),
                                    job.cores().now);
  }
  job.cores().pass(seconds(6));
  job.cores().core(1).begin_steps(job.options(), two, job.cores().now);
  job.cores().run();
  EXPECT_TRUE(order_of(job, 1, 1));
  EXPECT_THAT(leader_of(job).describe(job.cores().now), HasSubstr("0 results of 4 workers"));
}

// All of a sudden each step takes longer than anybody is waited for. Whoever is heard of again
// shows how long that is.
TEST(StepLeader, WorkersThatAllNeedLongerThanWasKnownAreWaitedFor) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"));
  job.begin();
  for (int step = 0; step < 40; ++step) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) job.answer(worker, *job.take(worker));
    job.cores().run();
  }
  static_cast<void>(job.report());
  std::vector<std::optional<StepOrder>> held(2);
  for (int second = 0; second < 60; ++second) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
      // Five seconds for each, whatever was asked of it meanwhile.
      if (second % 5 == 0 && held[worker]) job.answer(worker, *held[worker]);
      if (second % 5 == 0) {
        job.cores().run();
        held[worker] = job.take(worker);
      }
    }
    job.cores().pass(seconds(1));
  }
  const StepReport report = job.report();
  EXPECT_GE(report.steps.size(), 4U) << report.steps.size();
  double longest = 0;
  for (const StepRecord& step : report.steps) longest = std::max(longest, step.took);
  EXPECT_GE(longest, 10) << "steps that brought nothing are part of what the next one took";
}

TEST(StepLeader, AResultOfOtherSamplesThanWereGivenIsCorruption) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"));
  job.begin();
  StepResult result = job.result_of(1, *job.take(1));
  const auto take = [&] {
    return job.cores().core(0).steps().on_result(NodeId{1}, result, job.cores().now);
  };
  result.samples = 7;
  ASSERT_FALSE(take().ok());
  EXPECT_EQ(take().error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(take().error().message(), HasSubstr("7 samples of step 1 of worker 0 of node 1"));
  result.is_whole = false;
  result.samples = 9;
  EXPECT_FALSE(take().ok());
  result.samples = 7;
  EXPECT_TRUE(take().ok());
}

// Steps of all workers, as many as it takes to know how long they usually take.
void learn_times(StepJob& job) {
  for (int step = 0; step < 40; ++step) {
    for (std::uint32_t worker = 0; worker < job.workers(); ++worker) {
      job.answer(worker, *job.take(worker));
    }
    job.cores().run();
  }
  static_cast<void>(job.report());
}

// What workers said meanwhile is still to be read.
TEST(StepLeader, WhoWasAwayItselfDoesNotTakeOthersForSilent) {
  StepJob job({.nodes = 3, .liveness = kPatient}, options_of("fixed"));
  job.begin();
  learn_times(job);
  for (std::uint32_t worker = 0; worker < 3; ++worker) job.answer(worker, *job.take(worker));
  std::deque<WiredCores::OnTheWay> unread;
  unread.swap(job.cores().on_the_way());
  job.cores().pass_at_once(seconds(3));
  EXPECT_THAT(leader_of(job).describe(job.cores().now), HasSubstr("of 3 workers"));
  for (auto& frame : unread) job.cores().on_the_way().push_back(std::move(frame));
  job.cores().run();
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_EQ(report.steps[0].used, 3U);
  EXPECT_EQ(report.steps[0].late_dropped, 0U);
  EXPECT_TRUE(report.alarms.empty());
  job.answer(0, *job.take(0));
  job.cores().run();
  job.cores().pass(milliseconds(1900));
  EXPECT_THAT(leader_of(job).describe(job.cores().now), HasSubstr("of 1 workers")) << "of others";
}

// An owner of rows was away, so nobody could answer. What all bring when it is back counts.
TEST(StepLeader, WhenAllWereSilentWhatTheyBringCountsYet) {
  for (const std::string late : {"drop", "apply:5"}) {
    StepJob job({.nodes = 4, .liveness = kPatient}, options_of("fixed", late));
    job.begin();
    learn_times(job);
    std::vector<StepOrder> held;
    for (std::uint32_t worker = 0; worker < 4; ++worker) held.push_back(*job.take(worker));
    // One of them hangs for another reason.
    for (std::uint32_t worker = 0; worker < 3; ++worker) job.answer(worker, held[worker]);
    job.cores().run();
    job.cores().pass(milliseconds(1500));
    for (std::uint32_t worker = 0; worker < 3; ++worker) job.answer(worker, *job.take(worker));
    job.cores().run();
    static_cast<void>(job.report());
    held.clear();
    for (std::uint32_t worker = 0; worker < 3; ++worker) held.push_back(*job.take(worker));
    job.cores().pass(seconds(3));
    EXPECT_THAT(leader_of(job).describe(job.cores().now), HasSubstr("of 0 workers"));
    for (std::uint32_t worker = 0; worker < 3; ++worker) job.answer(worker, held[worker]);
    job.cores().run();
    const StepReport report = job.report();
    ASSERT_EQ(report.steps.size(), 1U) << late;
    EXPECT_EQ(report.steps[0].used, 3U) << late;
    EXPECT_EQ(report.steps[0].late_dropped, 0U) << late;
    EXPECT_EQ(report.steps[0].live, 3U) << "who hangs is not there again";
  }
}

TEST(StepLeader, WhatIsTooLateToCountIsNotWaitedFor) {
  StepJob job({.nodes = 3, .liveness = kPatient}, options_of("fixed:k=2", "apply:1"));
  job.begin();
  const StepOrder held = *job.take(2);
  for (int step = 0; step < 3; ++step) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) job.answer(worker, *job.take(worker));
    job.cores().run();
  }
  EXPECT_EQ(job.report().steps.size(), 3U);
  job.answer(0, *job.take(0));
  job.give_up(1, *job.take(1));
  job.cores().run();
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 1U) << "what worker 2 has of step " << held.step << " is too old";
  EXPECT_EQ(report.steps[0].used, 1U);
}

// The last samples of an epoch weigh as all others do.
TEST(StepLeader, ASmallerLastStepIsDividedByAFullOne) {
  StepOptions options = options_of("fixed");
  options.samples = 2 * 8 + 5;
  StepJob job({.nodes = 2}, options);
  std::vector<std::uint64_t> divisors;
  std::vector<std::uint64_t> counts;
  job.cores().core(0).steps().watch([&](const StepOrders& orders) {
    if (orders.chosen.empty()) return;
    divisors.push_back(orders.head.samples);
  });
  job.begin();
  for (int step = 0; step < 2; ++step) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
      const auto order = job.take(worker);
      if (order && !order->is_last) job.answer(worker, *order);
    }
    job.cores().run();
  }
  EXPECT_EQ(divisors, (std::vector<std::uint64_t>{16, 16}));
}

// D3 to the end: the samples of the last step are too few for all, and who is fast changes no bit.
TEST(StepLeader, OfTheLastSamplesOfAnEpochWhoIsFastChangesNoBit) {
  std::vector<std::vector<float>> ends;
  for (std::uint32_t fastest = 0; fastest < 3; ++fastest) {
    StepOptions options = options_of("fixed");
    options.samples = 10 * 24 + 21;
    StepJob job({.nodes = 3, .servers = 1, .liveness = kPatient}, options);
    job.begin();
    for (int step = 0; step < 11; ++step) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint32_t worker = (fastest + i) % 3;
        const auto order = job.take(worker);
        ASSERT_TRUE(order) << "in step " << step;
        job.answer(worker, *order);
        job.cores().now += milliseconds(10);
        job.cores().run();
      }
    }
    const StepReport report = job.report();
    ASSERT_EQ(report.steps.size(), 11U);
    EXPECT_EQ(report.steps.back().samples, 21U);
    EXPECT_EQ(report.steps.back().used, 3U) << "else the order of the sum would show nothing";
    ends.push_back(job.parameters());
  }
  EXPECT_EQ(ends[1], ends[0]);
  EXPECT_EQ(ends[2], ends[0]);
}

// Its samples went to others when it was silent; that it counts as there again brings nothing of
// them.
TEST(StepLeader, WhatWasTakenBackIsNotWaitedFor) {
  StepJob job({.nodes = 5, .servers = 2, .liveness = kPatient}, options_of("fixed", "apply:5"));
  for (std::int64_t node = 4; node >= 0; --node) {  // servers have no workers
    const std::vector<std::uint32_t> workers(node < 2 ? 0 : 1, 0);
    job.cores().core(node).begin_steps(job.options(), workers, job.cores().now);
  }
  job.cores().run();
  for (int step = 0; step < 40; ++step) {
    for (const std::uint32_t node : {2U, 3U, 4U}) job.answer(node, *job.take(node));
    job.cores().run();
  }
  static_cast<void>(job.report());
  ASSERT_TRUE(job.take(4));  // it hangs
  for (const std::uint32_t node : {2U, 3U}) job.answer(node, *job.take(node));
  job.cores().run();
  job.cores().pass(milliseconds(1500));
  ASSERT_EQ(job.report().steps.size(), 1U);
  const StepOrder first = *job.take(2);
  const StepOrder second = *job.take(3);
  job.cores().pass(milliseconds(1500));
  EXPECT_THAT(leader_of(job).describe(job.cores().now), HasSubstr("of 0 workers"));
  job.answer(2, first);
  job.cores().run();
  EXPECT_TRUE(job.report().steps.empty()) << "worker 3 may bring what it has";
  job.give_up(3, second);
  job.cores().run();
  EXPECT_EQ(job.report().steps.size(), 1U) << "worker 4 cannot";
}

}  // namespace
}  // namespace godwit
