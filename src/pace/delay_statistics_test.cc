// pace/delay_statistics_test.cc: quantiles, and computation split into start and samples.
#include "pace/delay_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

double exponential(Prng& prng, double mean) {
  return -mean * std::log(1 - prng.uniform());
}

TEST(DelayStatistics, TellsMediansAndTails) {
  DelayStatistics delays(2);
  EXPECT_FALSE(delays.summary(0));
  for (int i = 1; i <= 20; ++i) delays.note(0, {0.1 * i, 1.0 * i, 10});
  const auto summary = delays.summary(0);
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->comm_median, 1.0);
  EXPECT_DOUBLE_EQ(summary->comm_p95, 1.9);
  EXPECT_DOUBLE_EQ(summary->sample_median, 1.0);
  EXPECT_DOUBLE_EQ(summary->sample_p95, 1.9);
  EXPECT_DOUBLE_EQ(summary->total_median, 11.0);
  EXPECT_FALSE(delays.summary(1));
}

TEST(DelayStatistics, KeepsTheLatest) {
  DelayStatistics delays(1);
  for (int i = 0; i < 1000; ++i) delays.note(0, {i < 900 ? 5.0 : 1.0, 0, 1});
  EXPECT_EQ(delays.kept(0), DelayStatistics::kKept);
  EXPECT_DOUBLE_EQ(delays.summary(0)->comm_p95, 1);
  delays.note(0, {7, 0, 1});
  EXPECT_DOUBLE_EQ(delays.observation(0, DelayStatistics::kKept - 1).comm_seconds, 7);
}

// The step was over when it had its parameters: that took long, and nothing else is known.
TEST(DelayStatistics, CommunicationAloneSaysSomethingOfWhoHasComputed) {
  DelayStatistics delays(1);
  EXPECT_FALSE(delays.note(0, {.comm_seconds = 5, .load = 8})) << "a stranger";
  const DelayObservation whole{.comm_seconds = 1, .compute_seconds = 8, .samples = 8};
  for (int i = 0; i < 4; ++i) delays.note(0, whole);
  delays.fit();
  const DelayObservation late{.comm_seconds = 5, .load = 8};
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(delays.note(0, late));
  EXPECT_DOUBLE_EQ(delays.summary(0)->comm_median, 5);
  EXPECT_DOUBLE_EQ(delays.summary(0)->sample_median, 1);
  EXPECT_DOUBLE_EQ(delays.split(0, late).fixed_seconds, 5);
  EXPECT_DOUBLE_EQ(delays.split(0, late).sample_seconds, 1) << "as it was";
  delays.fit();
  EXPECT_EQ(delays.start_seconds(0), 0);
}

TEST(DelayStatistics, WhatSaysNothingIsLeftOut) {
  DelayStatistics delays(1);
  EXPECT_FALSE(delays.note(0, {1, 1, 0}));
  EXPECT_FALSE(delays.note(0, {-1, 1, 1}));
  EXPECT_FALSE(delays.note(0, {1, NAN, 1}));
  EXPECT_FALSE(delays.note(0, {INFINITY, 1, 1}));
  EXPECT_EQ(delays.kept(0), 0U);
}

TEST(DelayStatistics, TheUsualTimeOfAStrangerIsThatOfTheOthers) {
  DelayStatistics delays(4);
  EXPECT_FALSE(delays.usual_seconds(3));
  delays.note(0, {1, 1, 1});
  delays.note(1, {2, 2, 1});
  delays.note(2, {50, 50, 1});
  EXPECT_DOUBLE_EQ(*delays.usual_seconds(3), 4);
  EXPECT_DOUBLE_EQ(*delays.usual_seconds(2), 100);
}

TEST(DelayStatistics, TheCostOfStartingIsFoundFromTwoLoads) {
  DelayStatistics delays(1);
  for (int i = 0; i < 10; ++i) delays.note(0, {1, 3 + 0.5 * 10, 10});
  delays.fit();
  EXPECT_EQ(delays.start_seconds(0), 0) << "one load tells nothing";
  for (int i = 0; i < 10; ++i) delays.note(0, {1, 3 + 0.5 * 40, 40});
  delays.fit();
  EXPECT_NEAR(delays.start_seconds(0), 3, 1e-9);
  const DelaySplit split = delays.split(0, {1, 3 + 0.5 * 20, 20});
  EXPECT_NEAR(split.fixed_seconds, 4, 1e-9);
  EXPECT_NEAR(split.sample_seconds, 0.5, 1e-9);
  for (std::size_t i = 0; i < DelayStatistics::kKept; ++i) delays.note(0, {1, 3 + 0.5 * 40, 40});
  delays.fit();
  EXPECT_NEAR(delays.start_seconds(0), 3, 1e-9) << "what was found stays";
}

TEST(DelayStatistics, TheCostOfStartingIsFoundThroughNoise) {
  int near = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng prng(seed);
    DelayStatistics delays(1);
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t samples = i % 2 == 0 ? 4 : 40;
      delays.note(0, {1, 2 + (0.9 + 0.2 * prng.uniform()) * 0.1 * samples, samples});
    }
    delays.fit();
    near += std::abs(delays.start_seconds(0) - 2) < 0.2;
  }
  EXPECT_GE(near, 48);
}

// Exponential computation without any cost of starting: what is found in it by chance stays a small
// part of the mean, whatever the seed.
TEST(DelayStatistics, NoiseIsNotTakenForACostOfStarting) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Prng prng(seed);
    DelayStatistics delays(1);
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t samples = i % 2 == 0 ? 2 : 16;
      delays.note(0, {1, exponential(prng, 0.1 * samples), samples});
    }
    delays.fit();
    ASSERT_GE(delays.start_seconds(0), 0);
    ASSERT_LT(delays.start_seconds(0), 0.05);
    sum += delays.start_seconds(0);
  }
  EXPECT_LT(sum / 100, 0.002) << "of 0.2 at the smaller load";
}

// Every worker is as fast as the next, but not in every step; who has not done its load of 16 when
// the step ends reports what it did. All of these have then computed equally long.
TEST(DelayStatistics, WorkThatIsCutShortIsNotTakenForACostOfStarting) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng prng(seed);
    DelayStatistics delays(1);
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t load = i < 8 ? 8 : 16;
      const double sample = 0.05 + 0.1 * prng.uniform();
      const auto in_time = static_cast<std::uint32_t>(std::ceil(1 / sample));
      const std::uint32_t done = std::min(load, in_time);
      delays.note(0, {1, sample * done, done, load});
    }
    delays.fit();
    sum += delays.start_seconds(0);
  }
  EXPECT_LT(sum / 50, 0.1) << "of 1.0, which most of them computed";
}

TEST(DelayStatistics, WhereOneLoadWasAskedForCutsTellNothing) {
  DelayStatistics delays(1);
  for (std::uint32_t i = 0; i < 64; ++i) delays.note(0, {1, 1, 8 + i % 8, 16});
  delays.fit();
  EXPECT_EQ(delays.start_seconds(0), 0);
}

TEST(DelayStatistics, TheCostOfStartingIsFoundBesideWorkThatIsCutShort) {
  DelayStatistics delays(1);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t load = i % 2 == 0 ? 4 : 40;
    const std::uint32_t done = i % 3 == 0 ? load / 2 : load;
    delays.note(0, {1, 2 + 0.1 * done, done, load});
  }
  delays.fit();
  EXPECT_NEAR(delays.start_seconds(0), 2, 1e-9);
}

TEST(DelayStatistics, NoPartIsNegative) {
  DelayStatistics delays(1);
  for (int i = 0; i < 20; ++i) delays.note(0, {0, i % 2 == 0 ? 2.0 : 2.1, i % 2 == 0 ? 1U : 30U});
  delays.fit();
  EXPECT_GT(delays.start_seconds(0), 1.9);
  const DelaySplit split = delays.split(0, {0, 0.5, 10});
  EXPECT_DOUBLE_EQ(split.fixed_seconds, 0.5);
  EXPECT_EQ(split.sample_seconds, 0);
}

}  // namespace
}  // namespace godwit
