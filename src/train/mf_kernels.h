// train/mf_kernels.h: the arithmetic of matrix factorization, on rows in place. Pure but for the
// rows; compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace godwit {

// A rating between two rows of the tables, by their places in two arrays of pointers.
struct BlockRating {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  float value = 0;
};

// How rows are laid out: the factors, then the bias, then the sums of squared gradients by which
// steps shrink (AdaGrad): one for all factors, one for the bias.
struct MfLayout {
  std::size_t rank = 0;

  std::size_t bias() const { return rank; }
  std::size_t squares() const { return rank + 1; }
  std::size_t bias_squares() const { return rank + 2; }
  std::size_t length() const { return rank + 3; }
};

struct MfStep {
  float learning_rate = 0;
  float penalty = 0;       // L2, on the factors
  float bias_penalty = 0;  // L2, on the biases
  bool learns_biases = true;
};

// Goes through the ratings in their order and changes both rows of each. Returns the sum of the
// squared errors, each before its change. REQUIRES: all places exist.
double learn_ratings(std::span<const BlockRating> ratings, float* const* rows,
                     float* const* columns, const MfLayout& layout, const MfStep& step);

// The prediction from two rows.
float predict_rating(const float* row, const float* column, const MfLayout& layout);

}  // namespace godwit
