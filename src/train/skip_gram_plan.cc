// train/skip_gram_plan.cc: subsampling, the pool of negatives, distinct words.
#include "train/skip_gram_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<> SkipGramPlanOptions::validate() const {
  if (!std::isfinite(subsampling) || subsampling < 0) {
    return invalid_argument("subsampling is {}, must be a finite number >= 0", subsampling);
  }
  if (!std::isfinite(negative_power) || negative_power < 0) {
    return invalid_argument("negative_power is {}, must be a finite number >= 0", negative_power);
  }
  if (negative_reuse == 0) return invalid_argument("negative_reuse is 0, must be at least 1");
  return {};
}

WordShares::WordShares(std::vector<std::uint64_t> stay_below, AliasTable negatives,
                       const SkipGramPlanOptions& options)
    : stay_below_(std::move(stay_below)), negatives_(std::move(negatives)), options_(options) {}

Result<WordShares> WordShares::make(std::span<const std::uint64_t> counts,
                                    const SkipGramPlanOptions& options) {
  GODWIT_TRY(options.validate());
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  std::vector<double> weights;
  std::vector<std::uint64_t> stay_below;
  for (const std::uint64_t count : counts) {
    const double n = static_cast<double>(count);
    weights.push_back(count == 0 ? 0 : std::pow(n, options.negative_power));
    const double ratio = options.subsampling * total / n;
    const bool all_stay = options.subsampling == 0 || count == 0;
    const double stays = all_stay ? 1 : std::min(1.0, std::sqrt(ratio) + ratio);
    stay_below.push_back(static_cast<std::uint64_t>(std::ldexp(stays, 32)));
  }
  GODWIT_TRY_ASSIGN(AliasTable negatives, AliasTable::make(weights));
  return WordShares(std::move(stay_below), std::move(negatives), options);
}

SkipGramPlanner::SkipGramPlanner(const WordShares& shares)
    : shares_(shares), indices_(shares.size(), kNone) {}

std::uint32_t SkipGramPlanner::index_of(std::uint32_t word, SkipGramPlan& plan) {
  if (indices_[word] == kNone) {
    indices_[word] = static_cast<std::uint32_t>(plan.keys.size());
    plan.keys.push_back(word);
  }
  return indices_[word];
}

SkipGramProgress step_plan(const SkipGramPlan& plan, std::span<float* const> inputs,
                           std::span<float* const> outputs, const SkipGramStep& step) {
  const std::span<const std::uint32_t> words = plan.words;
  const std::span<const std::uint32_t> negatives = plan.negatives;
  const std::size_t each = words.empty() ? 0 : negatives.size() / words.size();
  SkipGramProgress sum;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plan.ends.size(); ++i) {
    SkipGramStep here = step;
    if (i > 0) here.seed = mix64(step.seed, i);
    const std::size_t length = plan.ends[i] - begin;
    const SkipGramProgress part =
        step_skip_gram({.words = words.subspan(begin, length),
                        .inputs = inputs,
                        .outputs = outputs,
                        .negatives = negatives.subspan(begin * each, length * each)},
                       here);
    sum.loss += part.loss;
    sum.pairs += part.pairs;
    begin = plan.ends[i];
  }
  return sum;
}

void SkipGramPlanner::plan(std::span<const std::uint32_t> tokens, std::span<const std::size_t> ends,
                           std::uint64_t seed, SkipGramPlan& plan) {
  Prng prng(seed);
  plan.keys.clear();
  plan.words.clear();
  plan.ends.clear();
  plan.negatives.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    for (const std::uint32_t word : tokens.subspan(begin, end - begin)) {
      GODWIT_CHECK_LT(word, indices_.size());
      if (shares_.stays(word, prng)) plan.words.push_back(index_of(word, plan));
    }
    plan.ends.push_back(plan.words.size());
    begin = end;
  }
  plan.inputs = plan.keys.size();

  const SkipGramPlanOptions& options = shares_.options();
  const std::size_t needed = plan.words.size() * options.negatives;
  const std::size_t draws = std::max<std::size_t>(
      options.negatives, (needed + options.negative_reuse - 1) / options.negative_reuse);
  pool_.clear();
  for (std::size_t i = 0; needed > 0 && i < draws; ++i) {
    pool_.push_back(index_of(shares_.draw_negative(prng), plan));
  }
  if (options.negative_reuse == 1) {
    plan.negatives.assign(pool_.begin(), pool_.end());
  } else {
    // At random, not in turn: neighbours that share all their negatives learn worse.
    for (std::size_t i = 0; i < needed; ++i) {
      plan.negatives.push_back(pool_[prng.below(pool_.size())]);
    }
  }
  for (const Key key : plan.keys) indices_[key] = kNone;
}

}  // namespace godwit
