// sim/pace_run_test.cc: clocks and counts of a run, bias of shards, and a step size too large.
#include "sim/pace_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/keyed_permutation.h"
#include "base/sample_order.h"
#include "pace/auto_pace.h"
#include "pace/fixed_pace.h"
#include "pace/sample_ledger.h"

namespace godwit::sim {
namespace {

const LeastSquaresOptions kSmall{.features = Features::kGauss, .samples = 2000, .dimension = 20};

TEST(PaceRun, CountsWhatWasAskedForAndWhatCameInTime) {
  const LeastSquares problem(kSmall, 1);
  FixedPace pace({10, 20});
  PaceRun run(&problem, *find_pace_law("A"), {}, 1, &pace);
  for (int i = 0; i < 100; ++i) {
    const double before = run.totals().seconds;
    run.step();
    EXPECT_GT(run.step_seconds(), 0);
    EXPECT_NEAR(run.totals().seconds, before + run.step_seconds(), 1e-9);
  }
  EXPECT_EQ(run.totals().steps, 100U);
  EXPECT_EQ(run.totals().assigned, 100U * 50 * 20);
  EXPECT_EQ(run.totals().used, 100U * 10 * 20);
  EXPECT_EQ(run.totals().messages, 100U * 10);
  EXPECT_GT(run.totals().performed, run.totals().used);
  EXPECT_LT(run.totals().performed, run.totals().assigned);
}

// Alone, each of n exponential times is as long as the mean; the smallest takes 1/n of it.
TEST(PaceRun, TheClockFollowsTheLaw) {
  const LeastSquares problem(kSmall, 1);
  PaceLaw law = *find_pace_law("A");
  law.compute_mean = 1e-9;
  for (const std::uint32_t k : {1U, 50U}) {
    FixedPace pace({k, 40});
    PaceRun run(&problem, law, {}, 1, &pace);
    for (int i = 0; i < 3000; ++i) run.step();
    double expected = 0;
    for (std::uint32_t i = 0; i < k; ++i) expected += 1.0 / (50 - i);
    EXPECT_NEAR(run.totals().seconds / 3000 / expected, 1, 0.05) << k;
  }
}

TEST(PaceRun, WithoutCancellationLateWorkersEndTheirWorkFirst) {
  const LeastSquares problem(kSmall, 1);
  FixedPace pace({10, 40});
  PaceRun cancels(&problem, *find_pace_law("A"), {}, 1, &pace);
  PaceRun ends(&problem, *find_pace_law("I"), {}, 1, &pace);
  for (int i = 0; i < 500; ++i) {
    cancels.step();
    ends.step();
  }
  EXPECT_GT(ends.totals().seconds, 1.5 * cancels.totals().seconds);
  EXPECT_LT(ends.totals().assigned, cancels.totals().assigned) << "who is busy gets nothing";
  EXPECT_EQ(ends.totals().performed, ends.totals().assigned);
  EXPECT_EQ(ends.totals().used, cancels.totals().used);
}

// What each step chose and came to. The run shows no parameters; any change in them would show in
// the error, which is over all of them, and in all losses that follow.
struct StepTrace {
  PaceChoice choice;
  double seconds = 0;
  double error = 0;
  double mean_loss = 0;
  friend bool operator==(const StepTrace&, const StepTrace&) = default;
};

std::vector<StepTrace> trace_of(const LeastSquares& problem, std::uint64_t seed) {
  PaceTimings timings(50, LoadLadder(40));
  AutoPace pace(&timings);
  PaceRun run(&problem, *find_pace_law("J"), {}, seed, &pace, &timings);
  std::vector<StepTrace> trace;
  for (int i = 0; i < 1000; ++i) {
    run.step();
    trace.push_back({run.choice(), run.totals().seconds, run.error(), run.mean_loss()});
  }
  return trace;
}

// D4
TEST(PaceRun, TheSameSeedIsTheSameRun) {
  const LeastSquares problem(kSmall, 1);
  const std::vector<StepTrace> first = trace_of(problem, 7);
  const std::vector<StepTrace> second = trace_of(problem, 7);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i], second[i]) << "step " << i;
  std::set<std::pair<std::uint32_t, std::uint32_t>> choices;
  for (const StepTrace& step : first) choices.emplace(step.choice.k, step.choice.load);
  EXPECT_GT(choices.size(), 2U) << "else this shows little";
  EXPECT_NE(first, trace_of(problem, 8));
}

// D7: ten of 50 workers are ten times slower, 20 are waited for. With samples from all the error
// ends at the floor of the batch; with shards of their own the slow ones' samples hardly count,
// which the monitor says, and the error stays far above.
TEST(PaceRun, ShardsOfSlowWorkersAreMissedAndThatIsSaid) {
  PaceLaw law = *find_pace_law("H");
  law.learning_rate = 0.01;
  const LeastSquares problem({.features = Features::kGauss, .samples = 2000}, 1);
  FixedPace pace({20, 40});
  double ends_at[2] = {0, 0};
  for (const bool has_shards : {false, true}) {
    PaceRun run(&problem, law, {.has_shards = has_shards}, 1, &pace);
    for (int i = 0; i < 3000; ++i) {
      run.step();
      if (i >= 2000) ends_at[has_shards] += run.error() / 1000;
    }
    EXPECT_EQ(run.inclusion().is_alarming(), has_shards);
  }
  const double floor = problem.floor(law.learning_rate, 20 * 40);
  EXPECT_LT(ends_at[0], 3 * floor);
  EXPECT_GT(ends_at[1], 10 * floor);
}

// D7: the same workers, with samples handed out by the ledger: what slow workers do not bring comes
// back, and after four epochs every sample has counted four times.
TEST(PaceRun, WhatSlowWorkersDoNotBringIsServedAgain) {
  constexpr std::uint64_t kSamples = 20'000;
  const PaceLaw& law = *find_pace_law("H");
  SampleLedger ledger(kSamples, 4, 50);
  SampleOrder order(kSamples, 3);
  InclusionMonitor counted(kSamples);
  Prng prng(1);
  for (std::uint64_t step = 0; !ledger.is_finished(); ++step) {
    std::vector<std::pair<double, std::uint32_t>> ends;
    const KeyedPermutation turns(50, step);
    for (std::uint64_t turn = 0; turn < 50; ++turn) {
      const auto worker = static_cast<std::uint32_t>(turns.at(turn));
      if (ledger.hand_out(step, worker, 40).empty()) continue;
      ends.emplace_back(draw_comm(law, prng) + draw_compute(law, worker, prng), worker);
    }
    std::ranges::sort(ends);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::uint32_t worker = ends[i].second;
      if (i >= 20) {
        ledger.come_back(step, worker);
        continue;
      }
      for (const SampleRange& range : ledger.given(step, worker)) {
        for (std::uint64_t p = range.begin; p < range.end; ++p) counted.note(order.sample_at(p));
      }
      ledger.count(step, worker);
    }
  }
  EXPECT_EQ(counted.ratio(), 1);
  EXPECT_EQ(counted.counts()[0], 4U);
}

// D10: step sizes with which a batch of two diverges (eta tr(H) / B is 2.5 and 4).
TEST(PaceRun, ABatchThatDivergesIsLeft) {
  PaceLaw law = *find_pace_law("J");
  const LeastSquares problem({.features = Features::kGauss, .samples = 5000}, 1);
  for (const double rate : {0.05, 0.08}) {
    law.learning_rate = rate;
    FixedPace two({1, 2});
    PaceRun diverging(&problem, law, {}, 1, &two);
    for (int i = 0; i < 400; ++i) diverging.step();
    ASSERT_GT(diverging.error(), 10 * problem.error(problem.start())) << "else this shows nothing";

    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      PaceTimings timings(50, LoadLadder(40));
      AutoPace pace(&timings);
      // Who knows the noise does not begin with such a batch: below.
      PaceRun run(&problem, law, {.tells_noise = false}, seed, &pace, &timings);
      std::uint64_t left_at = 0;
      double smooth = 0;
      double least = INFINITY;
      double most = 0;  // afterwards, by the least
      for (std::uint64_t i = 0; i < 2000; ++i) {
        run.step();
        if (left_at == 0 && pace.stage() > 1) left_at = i;
        // The loss of a batch of two samples is nearly all chance.
        smooth += (run.mean_loss() - smooth) / std::min(50.0, static_cast<double>(i + 1));
        least = std::min(least, smooth);
        if (left_at > 0) most = std::max(most, smooth / least);
      }
      EXPECT_GT(left_at, 0U);
      EXPECT_LT(left_at, 200U) << rate << " " << seed;
      EXPECT_LT(most, 10) << rate << " " << seed;
      EXPECT_LT(run.smooth_error(), 100 * problem.floor(rate, 1600)) << rate << " " << seed;
    }
  }
}

TEST(PaceRun, WhoKnowsTheNoiseDoesNotBeginWithABatchThatDiverges) {
  PaceLaw law = *find_pace_law("J");
  law.learning_rate = 0.05;
  const LeastSquares problem({.features = Features::kGauss, .samples = 5000}, 1);
  PaceTimings timings(50, LoadLadder(40));
  AutoPace pace(&timings);
  PaceRun run(&problem, law, {}, 1, &pace, &timings);
  const double begin = run.error();
  for (int i = 0; i < 2000; ++i) {
    run.step();
    ASSERT_GT(run.choice().batch(), 20U) << i << ", of which five wait for all with two samples";
    ASSERT_LT(run.smooth_error(), 2 * begin);
  }
  EXPECT_LT(run.smooth_error(), 100 * problem.floor(0.05, 1600));
}

}  // namespace
}  // namespace godwit::sim
