// data/planted_ctr.h: clicks with a known optimum, shaped like the Criteo logs. Pure functions.
#pragma once

#include <cstdint>

#include "data/sparse_rows.h"
#include "godwit/result.h"

namespace godwit {

// Every row has one value of each field, drawn by Zipf popularity; a (field, value) is one feature,
// hashed to 63 bits, with value 1. A feature's weight is a normal number given by its hash; the
// click is drawn with the logistic of bias + the sum of weights.
struct PlantedCtrSpec {
  std::uint64_t rows = 200'000;     // to train on
  std::uint64_t held_out = 20'000;  // each for valid and test
  std::uint32_t fields = 26;
  std::uint64_t values_max = 100'000;  // of the largest field; sizes fall geometrically to 4
  double zipf = 1.1;
  double signal = 1.0;  // standard deviation of the sum of weights
  double rate = 0.25;   // logistic of the bias: about the share of clicks
  std::uint64_t seed = 1;

  // kInvalidArgument naming the field if a number makes no sense.
  Result<> validate() const;
};

// Labels are 0 and 1. optimal_logloss and optimal_auc are what the true probabilities reach on the
// labels of `test`. REQUIRES: spec.validate().
SparseSet make_planted_ctr(const PlantedCtrSpec& spec);

}  // namespace godwit
