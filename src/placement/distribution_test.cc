// placement/distribution_test.cc: draws follow probability(), and probability() the definition.
#include "placement/distribution.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

std::vector<double> probabilities(const Distribution& target) {
  std::vector<double> all;
  for (Key key = 0; key < target.size(); ++key) all.push_back(target.probability(key));
  return all;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

double sigmas_of_draws(const Distribution& target, int draws, std::uint64_t seed) {
  Prng prng(seed);
  std::vector<double> seen(target.size());
  for (int i = 0; i < draws; ++i) seen.at(target.draw(prng)) += 1;
  return chi_square_sigmas(seen, probabilities(target));
}

TEST(Distribution, UniformDrawsFollowTheirProbability) {
  for (const std::uint64_t size : {2UL, 10UL, 1000UL}) {
    const Distribution target = Distribution::uniform(size).value();
    EXPECT_EQ(target.probability(size - 1), 1 / static_cast<double>(size));
    EXPECT_LT(sigmas_of_draws(target, 100'000, size), kSigmasMax) << size;
  }
}

// Sizes at, below and above powers of two: the last octave is full, nearly full, nearly empty.
TEST(Distribution, LogUniformDrawsFollowTheirProbability) {
  for (const std::uint64_t size : {2UL, 3UL, 4UL, 5UL, 63UL, 64UL, 65UL, 1000UL, 1023UL}) {
    const Distribution target = Distribution::log_uniform(size).value();
    EXPECT_LT(sigmas_of_draws(target, 100'000, size), kSigmasMax) << size;
  }
}

TEST(Distribution, LogUniformProbabilityIsItsDefinition) {
  const Distribution target = Distribution::log_uniform(100).value();
  for (Key key = 0; key < 100; ++key) {
    const auto k = static_cast<double>(key);
    EXPECT_NEAR(target.probability(key), std::log((k + 2) / (k + 1)) / std::log(101), 1e-15);
  }
}

// Too many keys to count each: octaves of keys + 1 are equally likely, up to the very last key.
TEST(Distribution, LogUniformReachesTheLastOfVeryManyKeys) {
  const Distribution target = Distribution::log_uniform(~std::uint64_t{0} - 1).value();
  Prng prng(1);
  std::vector<double> seen(64);
  for (int i = 0; i < 64'000; ++i) {
    seen.at(static_cast<std::size_t>(std::bit_width(target.draw(prng) + 1)) - 1) += 1;
  }
  EXPECT_LT(chi_square_sigmas(seen, std::vector<double>(64, 1.0 / 64)), kSigmasMax);
  const double last = target.probability(target.size() - 1);
  EXPECT_NEAR(last, std::ldexp(1, -64) / std::log(std::ldexp(1, 64)), 1e-6 * last);
}

TEST(Distribution, WeightedDrawsFollowTheirProbability) {
  std::vector<double> counts(1000);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i % 7 != 3) counts[i] = std::pow(static_cast<double>(i + 1), -0.75);
  }
  const Distribution target = Distribution::weighted(counts).value();
  EXPECT_EQ(target.probability(3), 0);
  EXPECT_NEAR(target.probability(8), counts[8] / sum(counts), 1e-7 * counts[8]);
  EXPECT_LT(sigmas_of_draws(target, 300'000, 1), kSigmasMax);
}

TEST(Distribution, ProbabilitiesAddUpToOneAndEndAtTheSize) {
  const std::vector<double> counts = {3, 1, 4, 1, 5, 9, 2, 6};
  for (const Distribution& target :
       {Distribution::uniform(8).value(), Distribution::log_uniform(8).value(),
        Distribution::weighted(counts).value()}) {
    EXPECT_EQ(target.size(), 8U);
    EXPECT_NEAR(sum(probabilities(target)), 1, 1e-15);
    EXPECT_EQ(target.probability(8), 0);
    EXPECT_EQ(target.probability(~Key{0}), 0);
  }
}

TEST(Distribution, OneKeyIsAlwaysDrawn) {
  Prng prng(1);
  for (const Distribution& target :
       {Distribution::uniform(1).value(), Distribution::log_uniform(1).value(),
        Distribution::weighted(std::vector<double>{0.1}).value()}) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(target.draw(prng), 0U);
    EXPECT_EQ(target.probability(0), 1);
  }
}

TEST(Distribution, DrawsAreTheSameOnEveryPlatform) {
  const std::vector<double> counts = {3, 1, 4, 1, 5, 9, 2, 6};
  const auto draws = [](const Distribution& target) {
    Prng prng(42);
    std::string text;
    for (int i = 0; i < 8; ++i) text += std::to_string(target.draw(prng)) + " ";
    return text;
  };
  EXPECT_EQ(draws(Distribution::uniform(1'000'000).value()),
            "814305 318821 983894 701135 793504 588098 125352 605122 ");
  EXPECT_EQ(draws(Distribution::log_uniform(1'000'000).value()),
            "26000 2 16 676 1669 484 153217 274 ");
  EXPECT_EQ(draws(Distribution::weighted(counts).value()), "6 5 7 5 5 4 5 7 ");
}

TEST(Distribution, CopiesOutliveTheOriginal) {
  Result<Distribution> original = Distribution::weighted(std::vector<double>{0, 0, 2});
  const Distribution copy = *original;
  original = Distribution::uniform(1);
  Prng prng(1);
  EXPECT_EQ(copy.draw(prng), 2U);
}

TEST(Distribution, RefusesWhatHasNoKeys) {
  EXPECT_EQ(Distribution::uniform(0).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Distribution::log_uniform(0).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Distribution::weighted({}).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Distribution::weighted(std::vector<double>{1, -2}).error().message(),
            "a weighted distribution: count 1 is -2, must be a finite number >= 0");
}

}  // namespace
}  // namespace godwit
