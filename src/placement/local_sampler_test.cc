// placement/local_sampler_test.cc: the weighted mean is that over the resident keys, without bias.
#include "placement/local_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

// Something that popular and rare keys, and neighbours, have different amounts of.
double payload(Key key) {
  return std::sqrt(static_cast<double>(key)) + (key % 3 == 0 ? 40 : 0);
}

// A target, who is resident, and what is true of them.
struct Scene {
  Distribution target;
  std::function<bool(Key)> is_resident;
  std::vector<Key> list{};
  double mass = 0;  // P(R)
  double mean = 0;  // of payload() over the resident part of the target

  Scene(Distribution distribution, std::function<bool(Key)> resident)
      : target(std::move(distribution)), is_resident(std::move(resident)) {
    for (Key key = 0; key < target.size(); ++key) {
      if (!is_resident(key)) continue;
      list.push_back(key);
      mass += target.probability(key);
      mean += target.probability(key) * payload(key);
    }
    mean /= mass;
  }
};

// The mean of independent numbers, and how far it is from what it should be.
struct Estimate {
  double sum = 0;
  double squares = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    count += 1;
  }
  double mean() const { return sum / count; }
  // In standard deviations of the mean.
  double sigmas_from(double expected) const {
    const double variance = squares / count - mean() * mean();
    return std::abs(mean() - expected) / std::sqrt(variance / count);
  }
};

// Draws many small batches, so that a bias that falls with the size of a batch shows too.
struct Outcome {
  Estimate mean;    // of payload
  Estimate part;    // resident mass times that
  Estimate mass;    // resident mass
  Estimate weight;  // of single keys
  double from_list_count = 0;
};

Outcome outcome_of(const Scene& scene, const LocalSampler& sampler, std::uint64_t seed) {
  constexpr std::uint64_t kBatch = 4;
  Prng prng(seed);
  Outcome outcome;
  for (int batch = 0; batch < 20'000; ++batch) {
    const LocalDraws draws = sampler.draw(kBatch, prng, scene.is_resident);
    EXPECT_EQ(draws.keys.size(), draws.weights.size());
    double sum = 0;
    for (std::size_t i = 0; i < draws.keys.size(); ++i) {
      EXPECT_TRUE(scene.is_resident(draws.keys[i]));
      sum += draws.weights[i] * payload(draws.keys[i]);
      outcome.weight.add(draws.weights[i]);
    }
    outcome.mass.add(draws.resident_mass);
    outcome.from_list_count += static_cast<double>(draws.from_list_count);
    if (draws.keys.empty()) {
      outcome.part.add(0);
      continue;
    }
    const double mean = sum / static_cast<double>(draws.keys.size());
    outcome.mean.add(mean);
    outcome.part.add(mean * draws.resident_mass);
  }
  return outcome;
}

void expect_unbiased(const Scene& scene, const Outcome& outcome) {
  EXPECT_LT(outcome.mean.sigmas_from(scene.mean), kSigmasMax) << outcome.mean.mean();
  EXPECT_LT(outcome.mass.sigmas_from(scene.mass), kSigmasMax) << outcome.mass.mean();
  EXPECT_LT(outcome.part.sigmas_from(scene.mass * scene.mean), kSigmasMax) << outcome.part.mean();
}

bool is_odd(Key key) {
  return key % 2 == 1;
}
bool is_rare(Key key) {
  return key >= 900 || key == 700;
}

TEST(LocalSampler, RejectionAloneIsUnbiased) {
  const Scene scene(Distribution::log_uniform(1000).value(), is_odd);
  const LocalSampler sampler(scene.target);
  const Outcome outcome = outcome_of(scene, sampler, 1);
  expect_unbiased(scene, outcome);
  EXPECT_EQ(outcome.from_list_count, 0);
  EXPECT_EQ(outcome.weight.mean(), 1);
}

TEST(LocalSampler, TheListIsUnbiasedWhenRejectionFails) {
  const Scene scene(Distribution::log_uniform(1000).value(), is_rare);
  LocalSampler sampler(scene.target, /*tries_max=*/1);
  sampler.set_list(scene.list);
  EXPECT_NEAR(sampler.list_mass(), scene.mass, 1e-15);
  const Outcome outcome = outcome_of(scene, sampler, 2);
  expect_unbiased(scene, outcome);
  EXPECT_LT(outcome.weight.sigmas_from(1), kSigmasMax);
  EXPECT_GT(outcome.from_list_count, 4 * 20'000 * 0.9);
}

// Popular keys are resident, so that weights differ much, and about half of all keys are listed.
TEST(LocalSampler, BothWaysTogetherAreUnbiased) {
  std::vector<double> counts(500);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<double>(i * i % 97);
  counts[50] = 4000;
  const Scene scene(Distribution::weighted(counts).value(),
                    [](Key key) { return key >= 40 && key < 120; });
  LocalSampler sampler(scene.target, /*tries_max=*/2);
  sampler.set_list(scene.list);
  const Outcome outcome = outcome_of(scene, sampler, 3);
  expect_unbiased(scene, outcome);
  EXPECT_GT(outcome.from_list_count, 4 * 20'000 * 0.2);
  EXPECT_LT(outcome.from_list_count, 4 * 20'000 * 0.8);
}

// Without a list batches come back short or empty, and even then nothing is biased.
TEST(LocalSampler, ShortBatchesAreUnbiased) {
  const Scene scene(Distribution::uniform(1000).value(), is_rare);
  const LocalSampler sampler(scene.target, /*tries_max=*/3);
  const Outcome outcome = outcome_of(scene, sampler, 4);
  expect_unbiased(scene, outcome);
  EXPECT_LT(outcome.mean.count, 20'000 * 0.8);
  EXPECT_LT(outcome.weight.count, 4 * 20'000 * 0.4);
}

// Residents are neighbours, so any one set of them says little about the rest; but each key has
// its turn equally often.
TEST(LocalSampler, OverTimeEqualTurnsGiveTheMeanOverTheWholeTarget) {
  const Distribution target = Distribution::log_uniform(100).value();
  double mean = 0;
  for (Key key = 0; key < 100; ++key) mean += target.probability(key) * payload(key);
  const LocalSampler sampler(target);
  Prng prng(9);
  Estimate error;  // of sums, so that their ratio is tested
  for (int batch = 0; batch < 20'000; ++batch) {
    const Key start = prng.below(100);
    const LocalDraws draws =
        sampler.draw(4, prng, [start](Key key) { return (key + 100 - start) % 100 < 25; });
    double sum = 0;
    for (std::size_t i = 0; i < draws.keys.size(); ++i) {
      sum += draws.weights[i] * (payload(draws.keys[i]) - mean);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, draws.keys.size()));
    error.add(draws.resident_mass * sum / count);
  }
  EXPECT_LT(error.sigmas_from(0), kSigmasMax) << error.mean();
  EXPECT_GT(error.sigmas_from(0.1), kSigmasMax);  // would have been noticed
}

TEST(LocalSampler, KeysFollowTheTargetWithinTheResidentOnes) {
  const Scene scene(Distribution::log_uniform(100).value(), is_odd);
  const LocalSampler sampler(scene.target);
  Prng prng(5);
  const LocalDraws draws = sampler.draw(50'000, prng, scene.is_resident);
  EXPECT_EQ(draws.keys.size(), 50'000U);
  std::vector<double> seen(100);
  std::vector<double> probability(100);
  for (const Key key : draws.keys) seen.at(key) += 1;
  for (const Key key : scene.list) probability[key] = scene.target.probability(key) / scene.mass;
  EXPECT_LT(chi_square_sigmas(seen, probability), kSigmasMax);
}

TEST(LocalSampler, NothingResidentGivesNothing) {
  LocalSampler sampler(Distribution::uniform(10).value());
  Prng prng(6);
  const auto nobody = [](Key) { return false; };
  EXPECT_TRUE(sampler.draw(20, prng, nobody).keys.empty());
  sampler.set_list({1, 2, 3});  // out of date: all of them left
  const LocalDraws draws = sampler.draw(20, prng, nobody);
  EXPECT_TRUE(draws.keys.empty());
  EXPECT_EQ(draws.resident_mass, 0);
  EXPECT_TRUE(sampler.draw(0, prng, is_odd).keys.empty());
}

// Uniform keys have the same probability each: those that left do not even change the weights.
TEST(LocalSampler, ListedKeysThatLeftAreNotDrawn) {
  const Scene scene(Distribution::uniform(1000).value(), is_rare);
  LocalSampler sampler(scene.target, /*tries_max=*/8);
  std::vector<Key> list;
  for (Key key = 500; key < 1000; ++key) list.push_back(key);
  sampler.set_list(list);
  const Outcome outcome = outcome_of(scene, sampler, 7);
  expect_unbiased(scene, outcome);
  EXPECT_NEAR(outcome.weight.mean(), 1, 1e-12);
  EXPECT_GT(outcome.from_list_count, 0);
}

TEST(LocalSampler, ListedKeysThatTheTargetNeverDrawsAreLeftOut) {
  const Distribution target = Distribution::weighted(std::vector<double>{1, 0, 1, 1000}).value();
  LocalSampler sampler(target, /*tries_max=*/1);
  sampler.set_list({0, 1, 2, 7});
  Prng prng(8);
  const LocalDraws draws = sampler.draw(1000, prng, [](Key key) { return key != 3; });
  EXPECT_EQ(draws.keys.size(), 1000U);
  EXPECT_GT(draws.from_list_count, 900U);
  for (const Key key : draws.keys) EXPECT_TRUE(key == 0 || key == 2) << key;
  for (const double weight : draws.weights) EXPECT_NEAR(weight, 1, 1e-12);
  sampler.set_list({1});
  EXPECT_LT(sampler.draw(1000, prng, [](Key key) { return key != 3; }).keys.size(), 100U);
}

TEST(LocalSamplerDeathTest, RefusesNoTries) {
  EXPECT_DEATH(LocalSampler(Distribution::uniform(1).value(), 0), "tries_max");
}

}  // namespace
}  // namespace godwit
