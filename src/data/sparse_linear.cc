// data/sparse_linear.cc: draws support, rows and noise from one seed.
#include "data/sparse_linear.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/prng.h"

namespace godwit {

namespace {

// `count` distinct numbers below `n`, rising (Floyd's way).
std::vector<std::uint64_t> draw_distinct(Prng& prng, std::uint64_t n, std::uint64_t count) {
  std::unordered_set<std::uint64_t> chosen;
  for (std::uint64_t i = n - count; i < n; ++i) {
    const std::uint64_t number = prng.below(i + 1);
    if (!chosen.insert(number).second) chosen.insert(i);
  }
  std::vector<std::uint64_t> numbers(chosen.begin(), chosen.end());
  std::ranges::sort(numbers);
  return numbers;
}

struct Drawn {
  SparseRows rows;
  double noise_squares = 0;
};

Drawn draw_rows(const SparseLinearSpec& spec, std::uint64_t count,
                const std::unordered_map<std::uint64_t, float>& weights, Prng& prng) {
  Drawn drawn;
  for (std::uint64_t i = 0; i < count; ++i) {
    double label = 0;
    for (const std::uint64_t feature : draw_distinct(prng, spec.features, spec.per_row)) {
      const auto value = static_cast<float>(prng.normal());
      drawn.rows.features.push_back(feature);
      drawn.rows.values.push_back(value);
      const auto weight = weights.find(feature);
      if (weight != weights.end()) label += double{value} * double{weight->second};
    }
    const double noise = prng.normal() * spec.noise;
    drawn.noise_squares += noise * noise;
    drawn.rows.end_row(static_cast<float>(label + noise));
  }
  return drawn;
}

}  // namespace

Result<> SparseLinearSpec::validate() const {
  if (rows == 0 || held_out == 0) {
    return invalid_argument("{} rows to train on and {} held out: both must be at least 1", rows,
                            held_out);
  }
  if (features == 0 || per_row == 0 || per_row > features) {
    return invalid_argument("{} of {} features in a row: must be at least 1 and at most all",
                            per_row, features);
  }
  if (support == 0 || support > features) {
    return invalid_argument("support is {} of {} features, but must be at least 1 and at most all",
                            support, features);
  }
  if (!(weight > 0) || !std::isfinite(weight)) {
    return invalid_argument("weight is {}, but must be positive", weight);
  }
  if (!(noise >= 0) || !std::isfinite(noise)) {
    return invalid_argument("noise is {}, but must be 0 or positive", noise);
  }
  return {};
}

SparseLinearData make_sparse_linear(const SparseLinearSpec& spec) {
  Prng prng(spec.seed);
  SparseLinearData data;
  data.set.support = draw_distinct(prng, spec.features, spec.support);
  std::unordered_map<std::uint64_t, float> weights;
  for (const std::uint64_t feature : data.set.support) {
    const double size = spec.weight * (1 + prng.uniform());
    const auto weight = static_cast<float>(prng.below(2) == 0 ? size : -size);
    data.weights.push_back(weight);
    weights.emplace(feature, weight);
  }
  data.set.train = draw_rows(spec, spec.rows, weights, prng).rows;
  Drawn test = draw_rows(spec, spec.held_out, weights, prng);
  data.set.test = std::move(test.rows);
  data.set.valid = draw_rows(spec, spec.held_out, weights, prng).rows;
  data.set.features = spec.features;
  data.set.noise_floor = std::sqrt(test.noise_squares / static_cast<double>(spec.held_out));
  data.set.understood.lines.push_back(fmt::format(
      "generated: {} rows with {} of {} features, {} of which count, noise {}, seed {}; the true "
      "model has RMSE {:.4f} on the {} test rows",
      with_commas(spec.rows), spec.per_row, with_commas(spec.features), with_commas(spec.support),
      spec.noise, spec.seed, data.set.noise_floor, with_commas(spec.held_out)));
  return data;
}

}  // namespace godwit
