// data/low_rank.h: ratings with a known optimum: a low-rank matrix plus noise. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "godwit/result.h"

namespace godwit {

struct Rating {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  float value = 0;
};

struct LowRankSpec {
  std::uint32_t rows = 4000;
  std::uint32_t columns = 2000;
  std::uint32_t rank = 8;
  std::uint64_t ratings = 1'000'000;  // to train on
  std::uint64_t held_out = 100'000;   // to judge by
  double noise = 0.1;                 // standard deviation: no model predicts better
  std::uint64_t seed = 1;

  // kInvalidArgument naming the field if a number makes no sense.
  Result<> validate() const;
};

struct LowRankData {
  std::vector<Rating> train;
  std::vector<Rating> held_out;
  double noise_floor = 0;  // root mean square of the noise in `held_out`
};

// Entries are products of factors with variance 1/sqrt(rank): values have variance 1.
LowRankData make_low_rank(const LowRankSpec& spec);

}  // namespace godwit
