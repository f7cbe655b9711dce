// train/ctr_model.h: logistic regression and factorization machines: one example's probability, and
// one step on its rows in place. Pure but for the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace godwit {

// A feature's row: its weight, then `rank` factors (0: plain logistic regression); behind them, as
// the state of adagrad, as many sums of squared gradients.
struct CtrModel {
  std::size_t rank = 0;
  float learning_rate = 0;
  float penalty = 0;  // L2, on what an example touches

  std::size_t length() const { return rank + 1; }
};

// One feature of an example.
struct FeatureUse {
  std::uint32_t place = 0;  // in the array of rows
  float value = 0;
};

// Not thread-safe: keeps memory.
class CtrStep {
 public:
  explicit CtrStep(const CtrModel& model) : model_(model), sums_(model.rank) {}

  // The log odds of a click. REQUIRES: rows of model.length() floats.
  double log_odds(std::span<const FeatureUse> uses, const float* const* rows);
  // Learns from an example: rows hold values and state. Returns its log loss before the step.
  double learn(std::span<const FeatureUse> uses, float* const* rows, bool is_click);

 private:
  const CtrModel model_;
  std::vector<float> sums_;  // of value * factor, by factor
};

}  // namespace godwit
