// train/ctr_task.cc: batches of examples; the rows of all their features are leased ahead.
#include "train/ctr_task.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/batch_keys.h"
#include "train/common_settings.h"
#include "train/ctr_model.h"
#include "train/example_order.h"
#include "train/score_bins.h"

namespace godwit {
namespace {

constexpr std::size_t kBatchesAhead = 4;
constexpr std::uint64_t kSegmentExamples = 500'000;

// Some examples, and the rows they touch.
struct Batch {
  std::vector<Key> keys;  // distinct
  std::vector<FeatureUse> uses;
  std::vector<std::size_t> begins;  // of examples among the uses, and the end
  std::vector<bool> clicks;
  Lease lease;
};

class CtrTask final : public Task {
 public:
  CtrTask(const Settings& settings, SparseSet set)
      : set_(std::move(set)),
        model_{.rank = settings.text("model") == "fm"
                           ? static_cast<std::size_t>(settings.count("rank"))
                           : 0,
               .learning_rate = settings.real("learning_rate"),
               .penalty = settings.real("penalty")},
        epochs_(settings.count("epochs")),
        batch_(static_cast<std::size_t>(settings.count("batch"))),
        seed_(static_cast<std::uint64_t>(settings.count("seed"))),
        common_(common_table_spec(settings)) {}

  std::int64_t epochs() const override { return epochs_; }
  std::int64_t segments() const override {
    return static_cast<std::int64_t>(set_.train.size() / kSegmentExamples + 1);
  }
  std::string quality_name() const override { return "auc"; }
  bool is_larger_better() const override { return true; }
  bool has(Split split) const override { return part(split).size() > 0; }
  std::vector<std::string> data_notes() const override { return set_.understood.lines; }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    TableSpec spec = common_;
    spec.name = kCtrFeatures;
    spec.rows = kUnbounded;
    spec.row_length = static_cast<std::uint32_t>(model_.length());
    spec.rule = Rule::adagrad(model_.learning_rate);
    if (model_.rank > 0) spec.init = Init::normal(kFactorDeviation, seed_);
    GODWIT_TRY_ASSIGN(features_, session.table(spec));
    orders_.open(session, workers_per_node);
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    orders_.draw(set_.train.size(), segments(), seed_, epoch);
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t batches =
        ticks_of_segment(set_.train.size(), segments(), share.count, batch_);
    std::deque<Batch> ahead;
    std::size_t made = 0;
    CtrStep step(model_);
    for (std::size_t i = 0; i < batches; ++i) {
      for (; made < std::min(batches, i + 1 + kBatchesAhead); ++made) {
        Batch batch = make_batch(set_.train, order.part(segment, made, batches));
        const Tick tick{worker.tick().value() + static_cast<std::int64_t>(made - i)};
        GODWIT_TRY_ASSIGN(batch.lease,
                          worker.intend(*features_, batch.keys, tick, Tick{tick.value() + 1}));
        ahead.push_back(std::move(batch));
      }
      Batch batch = std::move(ahead.front());
      ahead.pop_front();
      GODWIT_TRY(worker.open(batch.lease, Access::kRacy));
      float* const* const rows = batch.lease.pointers().data();
      double loss = 0;
      for (std::size_t example = 0; example < batch.clicks.size(); ++example) {
        loss += step.learn(uses_of(batch, example), rows, batch.clicks[example]);
      }
      GODWIT_TRY(worker.close(batch.lease));
      if (!batch.clicks.empty() && std::isfinite(loss)) {
        GODWIT_TRY(worker.report_objective(loss / static_cast<double>(batch.clicks.size())));
      }
      GODWIT_TRY(worker.advance());
      sums["loss"] += loss;
      sums["examples"] += static_cast<double>(batch.clicks.size());
    }
    sums["examples"] += 0;
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    sums.bins.resize(2 * kScoreBins);
    const SparseRows& rows = part(split);
    const auto [first, last] = share.of(rows.size());
    CtrStep step(model_);
    std::vector<std::uint64_t> examples;
    std::vector<float> values;
    std::vector<const float*> places;
    double loss = 0;
    for (std::uint64_t begin = first; begin < last; begin += batch_) {
      examples.clear();
      for (std::uint64_t i = begin; i < std::min<std::uint64_t>(last, begin + batch_); ++i) {
        examples.push_back(i);
      }
      const Batch batch = make_batch(rows, examples);
      values.resize(batch.keys.size() * model_.length());
      GODWIT_TRY(worker.pull(*features_, batch.keys, values));
      places.resize(batch.keys.size());
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = &values[i * model_.length()];
      for (std::size_t example = 0; example < batch.clicks.size(); ++example) {
        const double odds = step.log_odds(uses_of(batch, example), places.data());
        add_score(sums.bins, odds, batch.clicks[example]);
        const double wrong = batch.clicks[example] ? -odds : odds;
        loss += wrong > 0 ? wrong + std::log1p(std::exp(-wrong)) : std::log1p(std::exp(wrong));
        sums["right"] += (odds > 0) == batch.clicks[example] ? 1 : 0;
      }
    }
    sums["right"] += 0;
    sums["logloss"] += loss;
    sums["count"] += static_cast<double>(last - first);
    return {};
  }

  Figures figures(Split split, const Sums& sums) const override {
    const double count = std::max(1.0, sums.at("count"));
    Figures figures{{"auc", area_under_curve(sums.bins)},
                    {"logloss", sums.at("logloss") / count},
                    {"accuracy", sums.at("right") / count}};
    if (split == Split::kTest && set_.optimal_auc > 0) {
      figures.emplace_back("optimal_auc", set_.optimal_auc);
      figures.emplace_back("optimal_logloss", set_.optimal_logloss);
    }
    return figures;
  }

 private:
  static constexpr float kFactorDeviation = 0.01F;

  const SparseRows& part(Split split) const {
    return split == Split::kValid ? set_.valid : set_.test;
  }

  static std::span<const FeatureUse> uses_of(const Batch& batch, std::size_t example) {
    return std::span(batch.uses)
        .subspan(batch.begins[example], batch.begins[example + 1] - batch.begins[example]);
  }

  static Batch make_batch(const SparseRows& rows, std::span<const std::uint64_t> examples) {
    Batch batch;
    BatchKeys keys;
    std::vector<std::uint32_t> places;
    batch.begins.push_back(0);
    for (const std::uint64_t example : examples) {
      keys.add(kBiasFeature);
      batch.uses.push_back({0, 1});
      for (std::uint64_t i = rows.begins[example]; i < rows.begins[example + 1]; ++i) {
        keys.add(rows.features[i]);
        batch.uses.push_back({0, rows.values[i]});
      }
      batch.begins.push_back(batch.uses.size());
      batch.clicks.push_back(rows.labels[example] > 0);
    }
    keys.settle(batch.keys, places);
    for (std::size_t i = 0; i < places.size(); ++i) batch.uses[i].place = places[i];
    return batch;
  }

  const SparseSet set_;
  const CtrModel model_;
  const std::int64_t epochs_;
  const std::size_t batch_;
  const std::uint64_t seed_;
  const TableSpec common_;
  std::optional<Table> features_;
  WorkerOrders orders_;
};

}  // namespace

void add_ctr_settings(Settings& settings) {
  settings.add_text("model", "lr", "logistic regression or factorization machine", {"lr", "fm"});
  settings.add_count("rank", "8", 1, 1024, "factors of a feature, of model fm");
  settings.add_count("epochs", "10", 1, 1'000'000, "times over the data");
  settings.add_number("learning_rate", "0.05", 1e-9, 100, "of AdaGrad");
  settings.add_number("penalty", "0.00001", 0, 100, "L2, on what an example touches");
  settings.add_count("batch", "256", 1, 1'000'000, "examples of a tick");
}

Result<> resolve_ctr_settings(Settings& settings, const SparseSet& set) {
  static_cast<void>(settings);
  if (set.train.size() == 0) return invalid_argument("there are no examples to learn from");
  if (!set.binary) {
    return invalid_argument(
        "labels are not of two classes (0 and 1, or -1 and 1): ctr cannot learn them");
  }
  return {};
}

std::unique_ptr<Task> make_ctr_task(const Settings& settings, SparseSet set) {
  return std::make_unique<CtrTask>(settings, std::move(set));
}

}  // namespace godwit
