// train/skip_gram_plan_test.cc: what stays, what is drawn, and that indices lead to the words.
#include "train/skip_gram_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

WordShares shares(const std::vector<std::uint64_t>& counts, const SkipGramPlanOptions& options) {
  return WordShares::make(counts, options).value();
}

TEST(SkipGramPlan, IndicesLeadToTheWordsOfTheTextInOrder) {
  const WordShares all = shares(std::vector<std::uint64_t>(50, 10), {.subsampling = 0});
  SkipGramPlanner planner(all);
  SkipGramPlan plan;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(seed);
    std::vector<std::uint32_t> tokens(prng.below(100));
    for (std::uint32_t& token : tokens) token = static_cast<std::uint32_t>(prng.below(50));
    planner.plan(tokens, std::vector{tokens.size()}, seed, plan);
    ASSERT_EQ(plan.words.size(), tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      ASSERT_LT(plan.words[i], plan.inputs);
      EXPECT_EQ(plan.keys[plan.words[i]], tokens[i]);
    }
    EXPECT_EQ(plan.negatives.size(), 5 * tokens.size());
    for (const std::uint32_t k : plan.negatives) EXPECT_LT(k, plan.keys.size());
    EXPECT_EQ(std::set(plan.keys.begin(), plan.keys.end()).size(), plan.keys.size());
    EXPECT_EQ(plan.inputs, std::set(tokens.begin(), tokens.end()).size());
  }
}

TEST(SkipGramPlan, WordsStayAsOftenAsTheirShareSays) {
  // Shares 0.9, 0.09, 0.01.
  const double t = 0.01;
  const WordShares some = shares({900'000, 90'000, 10'000}, {.subsampling = t});
  Prng prng(4);
  const std::vector<double> share{0.9, 0.09, 0.01};
  for (std::uint32_t word = 0; word < 3; ++word) {
    const double p = std::min(1.0, std::sqrt(t / share[word]) + t / share[word]);
    double stayed = 0;
    for (int i = 0; i < 100'000; ++i) stayed += some.stays(word, prng) ? 1 : 0;
    EXPECT_NEAR(stayed / 100'000, p, 5 * std::sqrt(p * (1 - p) / 100'000) + 1e-9) << word;
  }
}

TEST(SkipGramPlan, NegativesAreDrawnByCountToThePower) {
  const std::vector<std::uint64_t> counts{10'000, 1000, 100, 10, 0};
  for (const std::uint32_t reuse : {1U, 8U}) {
    const WordShares some = shares(counts, {.subsampling = 0, .negative_reuse = reuse});
    SkipGramPlanner planner(some);
    SkipGramPlan plan;
    std::vector<double> seen(5);
    const std::vector<std::uint32_t> tokens(16, 0);
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      planner.plan(tokens, std::vector{tokens.size()}, seed, plan);
      // Those of one chunk depend on each other once they are used again.
      if (reuse > 1) plan.negatives.resize(1);
      for (const std::uint32_t k : plan.negatives) ++seen[plan.keys[k]];
    }
    std::vector<double> probability;
    double total = 0;
    for (const std::uint64_t n : counts) total += std::pow(static_cast<double>(n), 0.75);
    for (const std::uint64_t n : counts) {
      probability.push_back(std::pow(static_cast<double>(n), 0.75) / total);
    }
    EXPECT_LT(chi_square_sigmas(seen, probability), kSigmasMax) << reuse;
  }
}

TEST(SkipGramPlan, ReuseAsksForFewerRows) {
  const std::vector<std::uint64_t> counts(100'000, 7);
  const std::vector<std::uint32_t> tokens(400, 3);
  for (const std::uint32_t reuse : {1U, 4U, 20U}) {
    const WordShares some = shares(counts, {.subsampling = 0, .negative_reuse = reuse});
    SkipGramPlan plan;
    SkipGramPlanner(some).plan(tokens, std::vector{tokens.size()}, 9, plan);
    EXPECT_LE(plan.keys.size(), 1 + 2000 / reuse);
    EXPECT_GT(plan.keys.size(), 1800 / reuse);
    EXPECT_EQ(plan.negatives.size(), 2000u);
  }
}

TEST(SkipGramPlan, IsAFunctionOfTextAndSeed) {
  const WordShares some = shares(std::vector<std::uint64_t>(100, 10), {.subsampling = 1e-3});
  std::vector<std::uint32_t> tokens(100);
  for (std::uint32_t i = 0; i < 100; ++i) tokens[i] = i * 7 % 100;
  SkipGramPlanner planner(some);
  SkipGramPlan first;
  SkipGramPlan other;
  SkipGramPlan again;
  planner.plan(tokens, std::vector{tokens.size()}, 1, first);
  planner.plan(tokens, std::vector{tokens.size()}, 2, other);
  planner.plan(tokens, std::vector{tokens.size()}, 1, again);
  EXPECT_EQ(first.keys, again.keys);
  EXPECT_EQ(first.words, again.words);
  EXPECT_EQ(first.negatives, again.negatives);
  EXPECT_NE(first.keys, other.keys);
}

TEST(SkipGramPlan, SentencesDoNotSeeEachOther) {
  const WordShares all = shares(std::vector<std::uint64_t>(4, 10), {.subsampling = 0});
  SkipGramPlanner planner(all);
  const std::vector<std::uint32_t> tokens{0, 1, 2, 3};
  const auto pairs_of = [&](const std::vector<std::size_t>& ends) {
    SkipGramPlan plan;
    planner.plan(tokens, ends, 1, plan);
    std::vector<float> numbers(8 * plan.keys.size(), 0.1F);
    std::vector<float*> rows;
    for (std::size_t i = 0; i < 2 * plan.keys.size(); ++i) rows.push_back(&numbers[4 * i]);
    const auto inputs = std::span(rows).first(plan.inputs);
    const auto outputs = std::span(rows).subspan(plan.keys.size());
    return step_plan(plan, inputs, outputs, {.row_length = 4, .window = 1}).pairs;
  };
  EXPECT_EQ(pairs_of({4}), 6U);
  EXPECT_EQ(pairs_of({2, 4}), 4U);
  EXPECT_EQ(pairs_of({1, 2, 3, 4}), 0U);
}

TEST(SkipGramPlan, BadNumbersAreRefused) {
  const std::vector<std::uint64_t> counts{5, 5};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(WordShares::make({}, {}).ok());
  EXPECT_FALSE(WordShares::make(std::vector<std::uint64_t>{0, 0}, {}).ok());
  EXPECT_FALSE(WordShares::make(counts, {.subsampling = -1}).ok());
  EXPECT_FALSE(WordShares::make(counts, {.subsampling = nan}).ok());
  EXPECT_FALSE(WordShares::make(counts, {.negative_power = nan}).ok());
  EXPECT_FALSE(WordShares::make(counts, {.negative_reuse = 0}).ok());
  EXPECT_TRUE(WordShares::make(counts, {}).ok());
}

}  // namespace
}  // namespace godwit
