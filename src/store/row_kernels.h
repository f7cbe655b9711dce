// store/row_kernels.h: the inner loops over batches of rows, in SIMD chosen at run time.
// Thread-safe: each row is touched under its lock.
#pragma once

#include <cstddef>
#include <span>

#include "godwit/rule.h"
#include "store/row_layout.h"
#include "store/row_ref.h"

namespace godwit {

// The calls below go through `rows` from `begin` on. They stop early at a row that is not there or
// is no longer what was looked up, and return its position; rows.size() when all are done. What
// lies before the returned position is done, what lies behind is untouched.

// Copies the values of row i to out[i * value_length].
std::size_t copy_rows_out(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                          float* out);

// Overwrites the values of row i; zeroes its state if asked to.
std::size_t copy_rows_in(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                         const float* values, bool reset_state);

// Applies the rule to row i with gradients[i * value_length]. No fused operations: the result has
// the same bits on every instruction set.
std::size_t apply_rule(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                       const Rule& rule, const float* gradients);

// True iff there is neither a NaN nor an infinity.
bool all_finite(std::span<const float> numbers);

}  // namespace godwit
