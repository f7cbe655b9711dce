// pace/auto_pace_slow_test.cc: workers that are slow, become slow, or are slow no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pace/auto_pace.h"
#include "pace/auto_pace_fixture.h"

namespace godwit {
namespace {

// Of 8 workers the last are so many times slower.
std::vector<double> slowness(int slow, double times) {
  std::vector<double> slowness(8, 1);
  for (int i = 0; i < slow; ++i) slowness[static_cast<std::size_t>(7 - i)] = times;
  return slowness;
}

TEST(AutoPaceSlow, AWorkerThatBecomesSlowIsWaitedForNoMore) {
  DrawnSteps steps{.workers = 8, .comm = constant, .compute = [](Prng&) { return 0.5; }};
  AutoPace pace(&steps.timings);
  steps.run(pace, 500);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40})) << "nobody is slow";
  steps.slowness = slowness(1, 10);
  steps.run(pace, AutoPace::kProfileSteps + 20);
  EXPECT_EQ(pace.choice(8).k, 7U) << "twenty steps are enough to see it";
  EXPECT_EQ(pace.reason(), "somebody is slow");
  steps.run(pace, 2000);
  EXPECT_EQ(pace.choice(8).k, 7U);
  steps.slowness.clear();
  steps.run(pace, 500);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40})) << "it is slow no more";
}

TEST(AutoPaceSlow, WhateverAStageNeedsTheSlowAreNotWaitedFor) {
  for (const int slow : {1, 2, 3, 4}) {
    DrawnSteps steps{.workers = 8, .slowness = slowness(slow, 10)};
    AutoPace pace(&steps.timings);
    steps.run(pace, 5000);
    EXPECT_LE(pace.choice(8).k, 8U - static_cast<unsigned>(slow)) << slow;
    EXPECT_GE(pace.batch(), 4 * 40) << "half of all at least";
  }
}

TEST(AutoPaceSlow, MostOfAllAreNotSlowButUsual) {
  DrawnSteps steps{
      .workers = 8, .comm = constant, .compute = constant, .slowness = slowness(6, 10)};
  AutoPace pace(&steps.timings);
  steps.run(pace, 5000);
  EXPECT_EQ(pace.choice(8).k, 8U);
}

TEST(AutoPaceSlow, WhoIsSlowerByLittleIsWaitedFor) {
  DrawnSteps steps{
      .workers = 8, .comm = constant, .compute = constant, .slowness = slowness(3, 1.2)};
  AutoPace pace(&steps.timings);
  steps.run(pace, 5000);
  EXPECT_EQ(pace.choice(8), (PaceChoice{8, 40}));
}

// Noise is told from two halves of a worker's samples.
TEST(AutoPaceSlow, TimesAreMeasuredWithTwoSamplesAtLeast) {
  PaceTimings timings(4, LoadLadder(16));
  EXPECT_EQ(AutoPace(&timings).choice(4), (PaceChoice{4, 2}));
  PaceTimings single(4, LoadLadder(1));
  EXPECT_EQ(AutoPace(&single).choice(4), (PaceChoice{4, 1})) << "there are no more";
}

}  // namespace
}  // namespace godwit
