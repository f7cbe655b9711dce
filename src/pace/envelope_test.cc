// pace/envelope_test.cc: against trying all pairs at many errors.
#include "pace/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "pace/exponential_model.h"
#include "pace/load_ladder.h"

namespace godwit {
namespace {

std::vector<TimedChoice> exponential_choices() {
  const LoadLadder ladder(40);
  const ExponentialModel model(50, 1, 1);
  std::vector<TimedChoice> choices;
  for (const std::uint32_t load : ladder.loads()) {
    const auto means = model.order_means(load / 40.0);
    for (std::uint32_t k = 1; k <= 50; ++k) choices.push_back({{k, load}, means[k - 1]});
  }
  return choices;
}

std::vector<PaceChoice> sequence_of(const Envelope& envelope) {
  std::vector<PaceChoice> sequence;
  for (const Envelope::Part& part : envelope.parts()) sequence.push_back(part.timed.choice);
  return sequence;
}

double rate(const TimedChoice& timed, double error, double noise) {
  return (error - noise / static_cast<double>(timed.choice.batch())) / timed.seconds;
}

// D2: the noise sets when, not what; and at no error is any pair better.
TEST(Envelope, TheSequenceDependsOnTimesAlone) {
  const auto choices = exponential_choices();
  const auto sequence = sequence_of(Envelope(choices, 1));
  for (const double noise : {1e-6, 1.0, 1e6}) {
    const Envelope envelope(choices, noise);
    EXPECT_EQ(sequence_of(envelope), sequence);
    for (int i = 0; i < 200; ++i) {
      const double error = noise * std::pow(10, 2 - 6.0 * i / 199);
      double best = -INFINITY;
      for (const TimedChoice& timed : choices) best = std::max(best, rate(timed, error, noise));
      const double ours = rate(envelope.at(error).timed, error, noise);
      ASSERT_NEAR(ours, best, 1e-9 * std::abs(best)) << error / noise;
    }
  }
}

// Pure exponential times: the load grows first, then the workers.
TEST(Envelope, ExponentialTimesRaiseTheLoadFirst) {
  const auto sequence = sequence_of(Envelope(exponential_choices(), 1));
  EXPECT_EQ(sequence.front(), (PaceChoice{1, 2}));
  EXPECT_EQ(sequence.back(), (PaceChoice{50, 40}));
  for (const PaceChoice& choice : sequence) EXPECT_TRUE(choice.k == 1 || choice.load >= 32);
}

TEST(Envelope, RandomLinesAgreeWithTryingAll) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng prng(seed);
    std::vector<TimedChoice> choices;
    for (std::uint64_t i = 0; i < 1 + prng.below(40); ++i) {
      choices.push_back({{static_cast<std::uint32_t>(1 + prng.below(20)),
                          static_cast<std::uint32_t>(1 + prng.below(20))},
                         0.1 * static_cast<double>(1 + prng.below(50))});
    }
    const Envelope envelope(choices, 3);
    double before = INFINITY;
    for (const Envelope::Part& part : envelope.parts()) {
      ASSERT_LT(part.until, before);
      before = part.until;
    }
    for (int i = 0; i < 100; ++i) {
      const double error = std::pow(10, 2 - 5.0 * i / 99);
      double best = -INFINITY;
      for (const TimedChoice& timed : choices) best = std::max(best, rate(timed, error, 3));
      // Below all floors nothing gains; which loses least is of no interest.
      if (best > 0) {
        ASSERT_NEAR(rate(envelope.at(error).timed, error, 3), best, 1e-9 * best) << seed;
      }
    }
  }
}

TEST(Envelope, OfEqualPairsTheOneThatComputesLeastStays) {
  const Envelope envelope({{{2, 20}, 1}, {{8, 5}, 1}, {{4, 10}, 1}, {{1, 5}, 1}}, 1);
  EXPECT_THAT(sequence_of(envelope), testing::ElementsAre(PaceChoice{8, 5}));
  EXPECT_EQ(envelope.at(1e9).timed.choice, (PaceChoice{8, 5}));
  EXPECT_EQ(envelope.at(0).timed.choice, (PaceChoice{8, 5}));
  EXPECT_DOUBLE_EQ(envelope.floor({8, 5}), 1.0 / 40);
}

}  // namespace
}  // namespace godwit
