// data/sparse_linear.h: a linear model with few weights and noise, for lasso and least squares.
// Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sparse_rows.h"
#include "godwit/result.h"

namespace godwit {

struct SparseLinearSpec {
  std::uint64_t rows = 10'000;     // to train on
  std::uint64_t held_out = 2'000;  // each for valid and test
  std::uint64_t features = 1'000;
  std::uint64_t per_row = 20;  // features of a row that are not 0; their values are normal
  std::uint64_t support = 50;  // features with a weight; it is 1 to 2 times `weight`, either sign
  double weight = 1.0;
  double noise = 0.1;  // standard deviation of what is added to a label
  std::uint64_t seed = 1;

  // kInvalidArgument naming the field if a number makes no sense.
  Result<> validate() const;
};

struct SparseLinearData {
  SparseSet set;               // noise_floor is the root mean square of the noise in `test`
  std::vector<float> weights;  // of set.support
};

// REQUIRES: spec.validate().
SparseLinearData make_sparse_linear(const SparseLinearSpec& spec);

}  // namespace godwit
