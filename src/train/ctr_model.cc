// train/ctr_model.cc: sums over the features of an example, then a step for each.
#include "train/ctr_model.h"

#include <algorithm>
#include <cmath>

namespace godwit {
namespace {

constexpr float kEpsilon = 1e-6F;  // keeps the first step of a feature finite

// AdaGrad on one float with its sum of squares.
void step(float& weight, float& squares, float gradient, float rate) {
  squares += gradient * gradient;
  weight -= rate * gradient / (std::sqrt(squares) + kEpsilon);
}

// log(1 + exp(x)) without overflow.
double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

}  // namespace

double CtrStep::log_odds(std::span<const FeatureUse> uses, const float* const* rows) {
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  float sum = 0;
  float squares = 0;
  for (const FeatureUse& use : uses) {
    const float* const row = rows[use.place];
    sum += use.value * row[0];
    for (std::size_t k = 0; k < model_.rank; ++k) {
      const float part = use.value * row[1 + k];
      sums_[k] += part;
      squares += part * part;
    }
  }
  float pairs = -squares;
  for (const float factor : sums_) pairs += factor * factor;
  return double{sum} + 0.5 * double{pairs};
}

double CtrStep::learn(std::span<const FeatureUse> uses, float* const* rows, bool is_click) {
  const double odds = log_odds(uses, rows);
  const double probability = 1 / (1 + std::exp(-odds));
  const auto error = static_cast<float>(probability - (is_click ? 1 : 0));
  const std::size_t length = model_.length();
  for (const FeatureUse& use : uses) {
    float* const row = rows[use.place];
    float* const state = row + length;
    step(row[0], state[0], error * use.value + model_.penalty * row[0], model_.learning_rate);
    for (std::size_t k = 0; k < model_.rank; ++k) {
      const float factor = row[1 + k];
      const float slope = use.value * (sums_[k] - use.value * factor);
      step(row[1 + k], state[1 + k], error * slope + model_.penalty * factor, model_.learning_rate);
    }
  }
  return softplus(is_click ? -odds : odds);
}

}  // namespace godwit
