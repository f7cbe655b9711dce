// train/adagrad_rows.h: AdaGrad in place on leased rows, as the rule of the table would do it, and
// rows into a dense matrix. Not thread-safe. SIMD chosen at run time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "godwit/lease.h"

namespace godwit {

inline constexpr float kAdagradEpsilon = 1e-8F;

// The `length` values of one row, and the sums of their squared gradients so far. No fused
// operations: the same bits on every instruction set. REQUIRES: nothing overlaps.
void step_adagrad(const float* gradient, std::size_t length, float rate, float* value,
                  float* squares);

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
    const std::size_t length = row.value().size();
    step_adagrad(gradient, length, rate, row.value().data(), row.state().data());
    gradient += length;
  }
}

}  // namespace godwit
