// pace/auto_pace_test.cc: stages, the choice of pairs, and what makes them change.
#include "pace/auto_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pace/auto_pace_fixture.h"

namespace godwit {
namespace {

using Steps = DrawnSteps;

TEST(AutoPace, MeasuresTimesWithAllWorkersAndTheSmallestLoadFirst) {
  Steps steps;
  AutoPace pace(&steps.timings);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(pace.choice(50), (PaceChoice{50, 2}));
    EXPECT_EQ(pace.choice(49), (PaceChoice{49, 2}));
    EXPECT_EQ(pace.stage(), 0U);
    EXPECT_EQ(pace.reason(), "profile");
    EXPECT_FALSE(pace.wants_reference(steps.step));
    EXPECT_FALSE(pace.predicted_seconds());
    steps.run(pace, 1);
  }
  EXPECT_EQ(pace.choice(50).k, 1U);
  EXPECT_LE(pace.choice(50).load, 4U);
  EXPECT_EQ(pace.stage(), 1U);
  EXPECT_GE(pace.batch(), 2);
  EXPECT_LE(pace.batch(), 4)
      << "hardly more, since the least of many exponential times hardly grows";
  EXPECT_TRUE(pace.wants_reference(steps.step));
  EXPECT_GT(*pace.predicted_seconds(), 0);
}

TEST(AutoPace, MeasuresOnUntilThereAreTimes) {
  Steps steps;
  AutoPace pace(&steps.timings);
  for (std::uint64_t step = 0; step < 20; ++step) pace.on_step({.step = step, .mean_loss = 1});
  EXPECT_EQ(pace.stage(), 0U);
  steps.run(pace, 1);
  EXPECT_EQ(pace.stage(), 1U);
}

TEST(AutoPace, TheSecondTimeThatNoWayIsMadeTheBatchGrows) {
  Steps steps;
  AutoPace pace(&steps.timings);
  steps.run(pace, 5 + 101);
  EXPECT_EQ(pace.stage(), 1U);
  EXPECT_TRUE(pace.wants_reference(steps.step)) << "the first time only the reference changes";
  steps.run(pace, 101);
  EXPECT_EQ(pace.stage(), 2U);
  EXPECT_EQ(pace.reason(), "no way made");
  EXPECT_GE(pace.batch(), 4);
  EXPECT_TRUE(pace.wants_reference(steps.step));
}

TEST(AutoPace, GoesOnAsLongAsWayIsMade) {
  Steps steps;
  AutoPace pace(&steps.timings);
  for (int i = 0; i < 3000; ++i) {
    steps.distance = steps.step > 5 ? static_cast<double>(steps.step - 5) : 1;
    steps.run(pace, 1);
  }
  EXPECT_EQ(pace.stage(), 1U);
  steps.answers = false;
  steps.run(pace, 3000);
  EXPECT_EQ(pace.stage(), 1U) << "without an answer nothing is known";
}

TEST(AutoPace, GrowsUpToFourFifthsOfAll) {
  Steps steps;
  AutoPace pace(&steps.timings);
  double before = 0;
  for (int i = 0; i < 20; ++i) {
    steps.run(pace, 200);
    EXPECT_GE(pace.batch(), before);
    before = pace.batch();
  }
  EXPECT_EQ(pace.batch(), 0.8 * 50 * 40);
  EXPECT_EQ(pace.choice(50), (PaceChoice{40, 40}));
  const std::uint64_t asked = steps.asked;
  steps.run(pace, 1000);
  EXPECT_EQ(steps.asked, asked) << "nothing is left to be decided";
}

// Nobody is late: waiting for all costs nothing.
TEST(AutoPace, WithoutStragglersAllAreWaitedFor) {
  Steps steps{.workers = 8, .comm = constant, .compute = constant};
  AutoPace pace(&steps.timings);
  steps.run(pace, 5000);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40}));
}

// Times that hardly depend on load and workers: a step is used for as much as it can bring.
TEST(AutoPace, ABatchThatCostsNothingIsTakenAlong) {
  Steps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 0.01; }};
  AutoPace pace(&steps.timings);
  steps.run(pace, 5);
  EXPECT_EQ(pace.stage(), 1U);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40})) << "from the beginning";
}

// All of the work takes less than twice as long as hardly any: less noise is worth that.
TEST(AutoPace, WhereNobodyIsSlowAllTakePartFromTheBeginning) {
  Steps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 0.9; }};
  AutoPace pace(&steps.timings);
  steps.run(pace, 5);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40}));
  Steps slower{.workers = 8, .comm = constant, .compute = [](Prng&) { return 1.5; }};
  AutoPace slower_pace(&slower.timings);
  slower.run(slower_pace, 5);
  EXPECT_LT(slower_pace.choice(8).batch(), 320U) << "more than twice as long";
}

// With the smallest load alone, what beginning to compute costs looks like a cost of each sample.
TEST(AutoPace, ThatNobodyIsSlowIsNoticedLater) {
  Steps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 0.2; }, .start = 0.25};
  AutoPace pace(&steps.timings);
  steps.answers = false;
  for (int i = 0; i < 5; ++i) {
    pace.on_noise(40, 1);
    steps.run(pace, 1);
  }
  EXPECT_LT(pace.choice(8).batch(), 320U);
  steps.run(pace, AutoPace::kFirstRetime + BatchTrial::kSteps);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40}));
  EXPECT_EQ(pace.reason(), "nobody is slow");
}

// Workers that share processors: what is seen of them while few are waited for says too much.
TEST(AutoPace, WhatTheTableDoesNotKnowIsTried) {
  const auto reason_with = [](double largest) {
    Steps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 2.0; }};
    AutoPace pace(&steps.timings);
    steps.answers = false;
    steps.took = [&](const PaceChoice& choice) { return choice.batch() == 320 ? largest : 1.0; };
    steps.run(pace, 5 + AutoPace::kFirstRetime);
    EXPECT_EQ(pace.reason(), "trial") << "the table says 3 / 1.1";
    EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40}));
    EXPECT_EQ(pace.choice(7), (PaceChoice{7, 40}));
    steps.run(pace, BatchTrial::kSteps);
    return pace.reason();
  };
  EXPECT_EQ(reason_with(1.9), "nobody is slow");
  EXPECT_EQ(reason_with(2.1), "start");
}

TEST(AutoPace, TrialsAreSeldomAndOnlyWhereTheyMayShowSomething) {
  const auto tried = [](double compute) {
    Steps steps{.workers = 8, .comm = constant, .compute = [=](Prng&) { return compute; }};
    AutoPace pace(&steps.timings);
    steps.answers = false;
    steps.took = [](const PaceChoice& choice) { return choice.batch() == 320 ? 3.0 : 1.0; };
    steps.run(pace, 2000);
    return std::ranges::count(steps.choices, PaceChoice{8, 40});
  };
  EXPECT_EQ(tried(2), 4 * BatchTrial::kSteps) << "after 15, 200, 400, 800 steps";
  EXPECT_EQ(tried(20), 0) << "more than four times as long, by the table";
}

// Steps with a pair that suits other delays are slow: nothing to compare the largest batch with.
TEST(AutoPace, ATrialIsComparedWithStepsOfThePresentPair) {
  Steps steps{.workers = 8};
  AutoPace pace(&steps.timings);
  steps.answers = false;
  for (int i = 0; i < 5; ++i) {
    pace.on_noise(40, 1);
    steps.run(pace, 1);
  }
  steps.compute = [](Prng&) { return 0.01; };
  steps.run(pace, 150);
  EXPECT_EQ(pace.choice(8).load, 40U) << "one result that comes early";
  steps.comm = [](Prng&) { return 0.25; };
  steps.compute = constant;
  steps.run(pace, 1000);
  EXPECT_LT(pace.choice(8).load, 40U) << "of which all come at once";
  EXPECT_LT(pace.batch(), 320);
}

TEST(AutoPace, ATrialEndsWhenWorkersChange) {
  Steps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 2.0; }};
  AutoPace pace(&steps.timings);
  steps.answers = false;
  steps.run(pace, 5 + AutoPace::kFirstRetime + 2);
  EXPECT_EQ(pace.reason(), "trial");
  steps.timings.set_live(7, false);
  steps.live = 7;
  steps.run(pace, 1);
  EXPECT_EQ(pace.reason(), "workers changed");
}

// As where workers take turns on few processors: the last one brings as much as the others.
TEST(AutoPace, TheLastOfWorkersThatComeOneByOneIsWaitedFor) {
  const auto k_with = [](double last) {
    Steps steps{.workers = 8, .comm = constant, .compute = constant};
    for (int i = 1; i < 8; ++i) steps.slowness.push_back(i / 8.0);
    steps.slowness.push_back(last);
    AutoPace pace(&steps.timings);
    steps.run(pace, 5000);
    return pace.choice(8).k;
  };
  EXPECT_EQ(k_with(1), 8U);
  EXPECT_EQ(k_with(1.2), 7U) << "it takes longer than it is worth";
}

TEST(AutoPace, BeginsWithTheBatchWhoseNoiseIsAsLargeAsTheGradient) {
  const auto first_batch = [](double variance, double squared) {
    Steps steps;
    AutoPace pace(&steps.timings);
    for (int i = 0; i < 5; ++i) {
      pace.on_noise(variance, squared);
      steps.run(pace, 1);
    }
    return pace.batch();
  };
  EXPECT_LE(first_batch(1, 10), 4) << "hardly any noise";
  EXPECT_GE(first_batch(100, 2), 50);
  EXPECT_LE(first_batch(100, 2), 50 * 1.25 * 1.25);
  const double most = 0.125 * 0.8 * 50 * 40;
  EXPECT_GE(first_batch(100, 1e-9), most);
  EXPECT_LE(first_batch(100, -1), most * 1.25 * 1.25) << "nothing but noise";
  EXPECT_LE(first_batch(std::nan(""), 1), 4);
}

TEST(AutoPace, ALossThatRisesMakesTheBatchGrowAtOnce) {
  Steps steps;
  AutoPace pace(&steps.timings);
  steps.answers = false;
  steps.run(pace, 20);
  EXPECT_EQ(pace.stage(), 1U);
  int needed = 0;
  while (pace.stage() == 1) {
    steps.loss *= 1.1;
    steps.run(pace, 1);
    ASSERT_LT(++needed, 100);
  }
  EXPECT_EQ(pace.reason(), "loss rises");
  EXPECT_GE(pace.batch(), 4);
}

TEST(AutoPace, FollowsTheLiveWorkers) {
  Steps steps;
  AutoPace pace(&steps.timings);
  steps.run(pace, 4000);
  EXPECT_EQ(pace.choice(50).k, 40U);
  EXPECT_EQ(pace.choice(30).k, 30U);
  for (std::uint32_t w = 20; w < 50; ++w) steps.timings.set_live(w, false);
  steps.live = 20;
  steps.run(pace, 1);
  EXPECT_EQ(pace.reason(), "workers changed");
  EXPECT_EQ(pace.choice(20), (PaceChoice{16, 40})) << "four fifths of all that there are";
  for (std::uint32_t w = 20; w < 50; ++w) steps.timings.set_live(w, true);
  steps.live = 50;
  steps.run(pace, 1);
  EXPECT_EQ(pace.choice(50).batch(), 1600U);
}

TEST(AutoPace, WaitsForSomebodyToComeBack) {
  Steps steps;
  AutoPace pace(&steps.timings);
  steps.run(pace, 300);
  const PaceChoice before = pace.choice(50);
  for (std::uint32_t w = 0; w < 50; ++w) steps.timings.set_live(w, false);
  pace.on_step({.step = steps.step++, .mean_loss = NAN, .live = 0});
  pace.on_step({.step = steps.step++, .mean_loss = NAN, .live = 0});
  EXPECT_EQ(pace.choice(50).load, before.load);
  steps.timings.set_live(3, true);
  pace.on_step({.step = steps.step++, .mean_loss = 1, .live = 1});
  EXPECT_EQ(pace.choice(1).k, 1U);
}

// A minimum time favours many workers with small loads (section 1.4 of the theory), pure
// exponential times few with large ones.
TEST(AutoPace, ThePairDependsOnTheDelays) {
  Steps pure;
  AutoPace pure_pace(&pure.timings);
  Steps shifted{.comm = [](Prng& prng) { return 0.5 + 0.5 * exponential(prng); },
                .compute = [](Prng& prng) { return 0.5 + 0.5 * exponential(prng); }};
  AutoPace shifted_pace(&shifted.timings);
  while (pure_pace.batch() < 32) pure.run(pure_pace, 1);
  while (shifted_pace.batch() < 32) shifted.run(shifted_pace, 1);
  EXPECT_GE(pure_pace.choice(50).load, 8U);
  EXPECT_LE(shifted_pace.choice(50).load, 4U);
}

TEST(AutoPace, SlackBuysComputationWithTime) {
  std::uint64_t assigned[2] = {0, 0};
  for (const int slack : {0, 1}) {
    Steps steps;
    AutoPace pace(&steps.timings, {.compute_slack = 0.2 * slack});
    steps.run(pace, 1500);
    for (const PaceChoice& choice : steps.choices) assigned[slack] += choice.load;
  }
  EXPECT_LT(assigned[1], assigned[0]);
}

TEST(AutoPace, TheSameTimesGiveTheSameChoices) {
  Steps first;
  Steps second;
  AutoPace first_pace(&first.timings);
  AutoPace second_pace(&second.timings);
  first.run(first_pace, 3000);
  second.run(second_pace, 3000);
  EXPECT_EQ(first.choices, second.choices);
}

}  // namespace
}  // namespace godwit
