// train/adagrad_rows.h: AdaGrad in place on leased rows, as the rule of the table would do it, and
// rows into a dense matrix. Not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "godwit/lease.h"

namespace godwit {

inline constexpr float kAdagradEpsilon = 1e-8F;

// The values of all rows of an open lease, one after the other.
inline void copy_rows(const Lease& lease, std::size_t length, float* out) {
  for (std::size_t i = 0; i < lease.size(); ++i) {
    const LeasedRow row = lease[i];
    std::copy_n(row.value().data(), length, out + i * length);
  }
}

// `gradients`: as many floats for each row as it has values.
inline void apply_adagrad(const Lease& lease, std::span<const float> gradients, float rate) {
  const float* gradient = gradients.data();
  for (std::size_t i = 0; i < lease.size(); ++i) {
    const LeasedRow row = lease[i];
    float* const value = row.value().data();
    float* const squares = row.state().data();
    const std::size_t length = row.value().size();
    for (std::size_t k = 0; k < length; ++k) {
      const float g = gradient[k];
      squares[k] += g * g;
      value[k] -= rate * g / (std::sqrt(squares[k]) + kAdagradEpsilon);
    }
    gradient += length;
  }
}

}  // namespace godwit
