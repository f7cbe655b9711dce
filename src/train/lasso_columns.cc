// train/lasso_columns.cc: counts, places entries; a path of falling penalties, each from the last.
#include "train/lasso_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace godwit {
namespace {

constexpr int kPowerSteps = 12;
constexpr double kPowerSlack = 1.1;  // so few steps end somewhat below
constexpr int kPenalties = 16;
constexpr double kPenaltyFall = 0.6;
constexpr double kFirstShare = 0.5;  // of the largest
constexpr int kSweepsEach = 6;

}  // namespace

LassoColumns make_lasso_columns(const SparseRows& rows) {
  LassoColumns columns;
  columns.features = rows.features;
  std::ranges::sort(columns.features);
  columns.features.erase(std::unique(columns.features.begin(), columns.features.end()),
                         columns.features.end());
  const std::size_t count = columns.features.size() + 1;
  std::vector<std::size_t> column_of(rows.features.size());
  columns.begins.assign(count + 1, 0);
  for (std::size_t i = 0; i < column_of.size(); ++i) {
    const auto place = std::ranges::lower_bound(columns.features, rows.features[i]);
    column_of[i] = static_cast<std::size_t>(place - columns.features.begin());
    ++columns.begins[column_of[i] + 1];
  }
  columns.begins[count] = rows.size();
  std::partial_sum(columns.begins.begin(), columns.begins.end(), columns.begins.begin());
  columns.entries.resize(columns.begins.back());
  columns.squares.resize(count);
  std::vector<std::uint64_t> next(columns.begins.begin(), columns.begins.end() - 1);
  const auto put = [&](std::size_t column, std::size_t example, float value) {
    columns.entries[next[column]++] = {static_cast<std::uint32_t>(example), value};
    columns.squares[column] += double{value} * double{value};
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::uint64_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
      put(column_of[i], row, rows.values[i]);
    }
    put(count - 1, row, 1);
  }
  const double sum = std::accumulate(rows.labels.begin(), rows.labels.end(), 0.0);
  columns.mean = rows.size() > 0 ? sum / static_cast<double>(rows.size()) : 0;
  for (const float label : rows.labels) {
    columns.labels.push_back(static_cast<float>(double{label} - columns.mean));
  }
  return columns;
}

double lasso_penalty_max(const LassoColumns& columns) {
  double largest = 0;
  for (std::size_t column = 0; column < columns.intercept(); ++column) {
    double product = 0;
    for (const LassoEntry& entry : columns.of(column)) {
      product += double{entry.value} * double{columns.labels[entry.example]};
    }
    largest = std::max(largest, std::abs(product));
  }
  return largest;
}

double lasso_overlap(const LassoColumns& columns) {
  std::vector<double> vector(columns.size(), 1);
  std::vector<double> image(columns.labels.size());
  double overlap = 1;
  for (int step = 0; step < kPowerSteps; ++step) {
    double norm = 0;
    for (const double v : vector) norm += v * v;
    norm = std::sqrt(norm);
    if (norm <= 0) return 1;
    std::fill(image.begin(), image.end(), 0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns.squares[column] <= 0) continue;
      const double scale = vector[column] / norm / std::sqrt(columns.squares[column]);
      for (const LassoEntry& entry : columns.of(column)) {
        image[entry.example] += scale * double{entry.value};
      }
    }
    overlap = 0;
    for (const double v : image) overlap += v * v;  // of a vector of length 1
    for (std::size_t column = 0; column < columns.size(); ++column) {
      double sum = 0;
      for (const LassoEntry& entry : columns.of(column)) {
        sum += double{entry.value} * image[entry.example];
      }
      vector[column] = columns.squares[column] > 0 ? sum / std::sqrt(columns.squares[column]) : 0;
    }
  }
  return std::max(1.0, kPowerSlack * overlap);
}

LassoCare lasso_care(double together, double overlap) {
  if (overlap < together) return {.smaller = overlap, .own = 0};
  return {.smaller = together, .own = together};
}

double lasso_step(const LassoColumns& columns, std::size_t column, double weight,
                  std::span<const float> fitted, double penalty, double smaller) {
  const double curve = smaller * columns.squares[column];
  if (curve <= 0) return weight;
  double slope = 0;
  for (const LassoEntry& entry : columns.of(column)) {
    slope += double{entry.value} *
             (double{columns.labels[entry.example]} - double{fitted[entry.example]});
  }
  const double threshold = column == columns.intercept() ? 0 : penalty / curve;
  return soft_threshold(weight + slope / curve, threshold);
}

void descend_plainly(const LassoColumns& columns, double penalty, int sweeps,
                     std::vector<double>& weights, std::vector<float>& fitted) {
  weights.resize(columns.size());
  fitted.resize(columns.labels.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const double weight = lasso_step(columns, column, weights[column], fitted, penalty, 1);
      const double change = weight - weights[column];
      if (change == 0) continue;
      weights[column] = weight;
      for (const LassoEntry& entry : columns.of(column)) {
        fitted[entry.example] += static_cast<float>(change * double{entry.value});
      }
    }
  }
}

double predict_lasso(const LassoColumns& columns, std::span<const double> weights,
                     const SparseRows& rows, std::size_t row) {
  double value = columns.mean + weights[columns.intercept()];
  for (std::uint64_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
    const auto place = std::ranges::lower_bound(columns.features, rows.features[i]);
    if (place == columns.features.end() || *place != rows.features[i]) continue;
    value += weights[static_cast<std::size_t>(place - columns.features.begin())] *
             double{rows.values[i]};
  }
  return value;
}

double lasso_rmse(const LassoColumns& columns, std::span<const double> weights,
                  const SparseRows& rows) {
  double squares = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double error = predict_lasso(columns, weights, rows, row) - double{rows.labels[row]};
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, rows.size())));
}

double choose_lasso_penalty(const LassoColumns& columns, const SparseRows& valid) {
  std::vector<double> weights;
  std::vector<float> fitted;
  double penalty = kFirstShare * lasso_penalty_max(columns);
  const double first = penalty;
  double noise = HUGE_VAL;
  for (int i = 0; i < kPenalties; ++i, penalty *= kPenaltyFall) {
    descend_plainly(columns, penalty, kSweepsEach, weights, fitted);
    noise = std::min(noise, lasso_rmse(columns, weights, valid));
  }
  // A column's product with noise has the deviation noise * its length; the largest of n such is
  // about sqrt(2 log n) deviations.
  double squares = 0;
  for (std::size_t i = 0; i < columns.intercept(); ++i) squares += columns.squares[i];
  const auto count = static_cast<double>(std::max<std::size_t>(2, columns.intercept()));
  return std::min(first, noise * std::sqrt(squares / count) * std::sqrt(2 * std::log(count)));
}

}  // namespace godwit
