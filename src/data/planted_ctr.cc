// data/planted_ctr.cc: weights are a function of a feature's hash, so no table of them is held.
#include "data/planted_ctr.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/prng.h"
#include "data/zipf.h"

namespace godwit {

namespace {

constexpr double kValuesMin = 4;

struct Scored {
  double probability = 0;
  bool clicked = false;
};

class CtrModel {
 public:
  explicit CtrModel(const PlantedCtrSpec& spec)
      : spec_(spec), prng_(spec.seed), bias_(std::log(spec.rate / (1 - spec.rate))) {
    const double steps = std::max<double>(spec.fields - 1, 1);
    const double ratio = static_cast<double>(spec.values_max) / kValuesMin;
    for (std::uint32_t i = 0; i < spec.fields; ++i) {
      const double values = kValuesMin * std::pow(ratio, 1 - static_cast<double>(i) / steps);
      fields_.emplace_back(static_cast<std::uint64_t>(values + 0.5), spec.zipf);
    }
  }

  // `scores`, if wanted, gets the true probabilities.
  SparseRows draw(std::uint64_t count, std::vector<Scored>* scores) {
    SparseRows rows;
    rows.labels.reserve(count);
    rows.begins.reserve(count + 1);
    rows.features.reserve(count * spec_.fields);
    rows.values.assign(count * spec_.fields, 1.0F);
    const double scale = spec_.signal / std::sqrt(spec_.fields);
    for (std::uint64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::uint32_t field = 0; field < spec_.fields; ++field) {
        const std::uint64_t value = fields_[field].draw(prng_);
        const std::uint64_t feature = mix64(mix64(spec_.seed, field), value) >> 1;
        sum += Prng(feature).normal();
        rows.features.push_back(feature);
      }
      const double probability = 1 / (1 + std::exp(-bias_ - scale * sum));
      const bool clicked = prng_.uniform() < probability;
      rows.end_row(clicked ? 1.0F : 0.0F);
      if (scores != nullptr) scores->push_back({probability, clicked});
    }
    return rows;
  }

 private:
  const PlantedCtrSpec spec_;
  Prng prng_;
  double bias_;
  std::vector<Zipf> fields_;
};

double logloss_of(const std::vector<Scored>& scores) {
  double sum = 0;
  for (const Scored& s : scores) sum -= std::log(s.clicked ? s.probability : 1 - s.probability);
  return sum / static_cast<double>(scores.size());
}

// The share of pairs of a click and a miss in which the click has the higher score; ties count
// half. 0 if one of both is missing.
double auc_of(std::vector<Scored> scores) {
  std::ranges::sort(scores, {}, &Scored::probability);
  double misses = 0;
  double clicks = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size();) {
    double tied_misses = 0;
    double tied_clicks = 0;
    const double score = scores[i].probability;
    for (; i < scores.size() && scores[i].probability == score; ++i) {
      (scores[i].clicked ? tied_clicks : tied_misses) += 1;
    }
    pairs += tied_clicks * (misses + tied_misses / 2);
    misses += tied_misses;
    clicks += tied_clicks;
  }
  return misses * clicks > 0 ? pairs / (misses * clicks) : 0;
}

}  // namespace

Result<> PlantedCtrSpec::validate() const {
  if (rows == 0 || held_out == 0) {
    return invalid_argument("{} rows to train on and {} held out: both must be at least 1", rows,
                            held_out);
  }
  if (fields == 0 || fields > 10'000) {
    return invalid_argument("fields is {}, but must be from 1 to 10,000", fields);
  }
  if (values_max < 4)
    return invalid_argument("values_max is {}, but must be at least 4", values_max);
  if (!(zipf >= 0) || !(zipf <= 10)) {
    return invalid_argument("zipf is {}, but must be from 0 to 10", zipf);
  }
  if (!(signal >= 0) || !(signal <= 100)) {
    return invalid_argument("signal is {}, but must be from 0 to 100", signal);
  }
  if (!(rate > 0) || !(rate < 1)) {
    return invalid_argument("rate is {}, but must be between 0 and 1", rate);
  }
  return {};
}

SparseSet make_planted_ctr(const PlantedCtrSpec& spec) {
  CtrModel model(spec);
  SparseSet set;
  std::vector<Scored> scores;
  set.train = model.draw(spec.rows, nullptr);
  set.test = model.draw(spec.held_out, &scores);
  set.valid = model.draw(spec.held_out, nullptr);
  set.binary = true;
  for (const SparseRows* rows : {&set.train, &set.test, &set.valid}) {
    set.features = std::max(set.features, 1 + *std::ranges::max_element(rows->features));
  }
  set.optimal_logloss = logloss_of(scores);
  set.optimal_auc = auc_of(std::move(scores));
  set.understood.lines.push_back(fmt::format(
      "generated: {} rows of {} fields with up to {} values, seed {}; the true model has log loss "
      "{:.4f} and AUC {:.4f} on the {} test rows",
      with_commas(spec.rows), spec.fields, with_commas(spec.values_max), spec.seed,
      set.optimal_logloss, set.optimal_auc, with_commas(spec.held_out)));
  return set;
}

}  // namespace godwit
