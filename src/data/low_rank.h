// data/low_rank.h: ratings with a known optimum: a low-rank matrix plus noise. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "data/ratings.h"
#include "godwit/result.h"

namespace godwit {

struct LowRankSpec {
  std::uint32_t rows = 4000;
  std::uint32_t columns = 2000;
  std::uint32_t rank = 8;
  std::uint64_t ratings = 1'000'000;  // to train on
  std::uint64_t held_out = 100'000;   // to judge by
  double noise = 0.1;                 // standard deviation: no model predicts better
  std::uint64_t seed = 1;
  double zipf = 0;    // column k in order of popularity has weight 1 / k^zipf; 0: all the same
  double mean = 0;    // added to every rating
  double biases = 0;  // standard deviation of what each row, and each column, adds

  // kInvalidArgument naming the field if a number makes no sense.
  Result<> validate() const;
};

struct LowRankData {
  std::vector<Rating> train;
  std::vector<Rating> held_out;
  double noise_floor = 0;  // root mean square of the noise in `held_out`
};

// Entries are products of factors with variance 1/sqrt(rank): without biases, values have variance
// 1 about the mean. Popular columns are scattered over all numbers. REQUIRES: spec.validate().
LowRankData make_low_rank(const LowRankSpec& spec);

// The same entries as make_low_rank (`test` is its held_out), and as many again to validate on.
Ratings make_low_rank_ratings(const LowRankSpec& spec);

}  // namespace godwit
