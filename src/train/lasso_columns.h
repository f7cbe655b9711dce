// train/lasso_columns.h: examples turned by 90 degrees for coordinate descent: for each feature the
// examples that have it; and the same descent on one thread, plainly. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sparse_rows.h"

namespace godwit {

// w + gradient step, pulled to zero by `threshold`: 0 within it.
inline double soft_threshold(double value, double threshold) {
  if (value > threshold) return value - threshold;
  if (value < -threshold) return value + threshold;
  return 0;
}

struct LassoEntry {
  std::uint32_t example;
  float value;
};

// Column i has the entries [begins[i], begins[i + 1]); the last column is 1 in all examples and has
// no penalty: what all labels have in common beside their mean.
struct LassoColumns {
  std::vector<std::uint64_t> features;  // of all columns but the last, rising
  std::vector<std::uint64_t> begins = {0};
  std::vector<LassoEntry> entries;  // of a column by rising examples
  std::vector<double> squares;      // of each column, added up
  std::vector<float> labels;        // minus their mean
  double mean = 0;

  std::size_t size() const { return squares.size(); }
  std::size_t intercept() const { return squares.size() - 1; }
  std::span<const LassoEntry> of(std::size_t column) const {
    return std::span(entries).subspan(begins[column], begins[column + 1] - begins[column]);
  }
};

// REQUIRES: fewer than 2^32 rows.
LassoColumns make_lasso_columns(const SparseRows& rows);

// The smallest penalty with which all weights stay 0. Penalties are on the sum of |weights|, beside
// half the sum of squared errors.
double lasso_penalty_max(const LassoColumns& columns);

// The largest eigenvalue of the columns' correlations, about: how much too far columns that know
// nothing of each other would go together. At least 1.
double lasso_overlap(const LassoColumns& columns);

// How steps are made smaller if others are taken at the same time, without changing where they
// lead: by `smaller`. So that steps of one worker after another do not go too far either, it counts
// each of its own `own` times until all are added up.
struct LassoCare {
  double smaller = 1;
  double own = 1;
};

// For so many steps at the same time, of which each worker does not see those of the others. P
// changes together are at most P times as long, squared, as the sum of their squared lengths: P and
// P are safe. If columns overlap less than that, so is their overlap, with no regard to one's own.
LassoCare lasso_care(double together, double overlap);

// One column's weight after a step, if `fitted` is what the weights give for each example.
double lasso_step(const LassoColumns& columns, std::size_t column, double weight,
                  std::span<const float> fitted, double penalty, double smaller);

// Coordinate descent on one thread, `sweeps` times over all columns.
void descend_plainly(const LassoColumns& columns, double penalty, int sweeps,
                     std::vector<double>& weights, std::vector<float>& fitted);

// What the weights give for a row; features that no example to train on has count for nothing.
double predict_lasso(const LassoColumns& columns, std::span<const double> weights,
                     const SparseRows& rows, std::size_t row);

// Root mean square of the errors on some rows.
double lasso_rmse(const LassoColumns& columns, std::span<const double> weights,
                  const SparseRows& rows);

// The penalty with which noise alone would hardly give any feature a weight: its size is the least
// error on `valid` of a row of falling penalties. At most half of the largest.
double choose_lasso_penalty(const LassoColumns& columns, const SparseRows& valid);

}  // namespace godwit
