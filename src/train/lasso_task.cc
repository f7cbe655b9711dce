// train/lasso_task.cc: workers share the columns. In a tick one goes through a few of its columns
// on a copy of what is fitted, and adds what it has changed to each row once, under its lock.
#include "train/lasso_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "train/common_settings.h"
#include "train/example_order.h"
#include "train/lasso_columns.h"

namespace godwit {
namespace {

constexpr std::size_t kBatchesAhead = 2;
constexpr double kNothing =
    1e-6;  // changes of a weight that travel round: 0 may be missed by so much
constexpr double kUsualLag = 1;  // ticks, if nothing bounds how old reads are
constexpr std::uint64_t kSegmentEntries = 20'000'000;

struct Batch {
  std::vector<Key> columns;
  std::vector<Key> blocks;  // of examples, rising
  Lease weights;
  Lease fitted;
};

class LassoTask final : public Task {
 public:
  LassoTask(const Settings& settings, SparseSet set)
      : set_(std::move(set)),
        columns_(make_lasso_columns(set_.train)),
        penalty_(settings.number("penalty") * lasso_penalty_max(columns_)),
        epochs_(settings.count("epochs")),
        refit_epochs_(settings.flag("refit") ? std::max<std::int64_t>(1, epochs_ / 4) : 0),
        batch_(static_cast<std::size_t>(settings.count("batch"))),
        seed_(static_cast<std::uint64_t>(settings.count("seed"))),
        common_(common_table_spec(settings)) {}

  std::int64_t epochs() const override { return epochs_; }
  std::int64_t segments() const override {
    return static_cast<std::int64_t>(columns_.entries.size() / kSegmentEntries + 1);
  }
  std::int64_t judge_every() const override { return std::max<std::int64_t>(1, epochs_ / 5); }
  std::string quality_name() const override { return "rmse"; }
  bool is_larger_better() const override { return false; }
  bool has(Split split) const override { return part(split).size() > 0; }
  std::vector<std::string> data_notes() const override { return set_.understood.lines; }
  RowNames names() const override {
    std::vector<std::string> names;
    for (const std::uint64_t feature : columns_.features) names.push_back(std::to_string(feature));
    names.emplace_back("intercept");
    return {{kLassoWeights, std::move(names)}};
  }
  std::map<std::string, double> constants() const override { return {{"mean", columns_.mean}}; }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    TableSpec spec = common_;
    spec.name = kLassoWeights;
    spec.rows = columns_.size();
    spec.row_length = 1;
    GODWIT_TRY_ASSIGN(weights_, session.table(spec));
    spec.name = "fitted";
    spec.rows = (set_.train.size() + kLassoBlock - 1) / kLassoBlock;
    spec.row_length = kLassoBlock;
    GODWIT_TRY_ASSIGN(fitted_, session.table(spec));
    orders_.open(session, workers_per_node);
    care_ = orders_.workers() == 1 ? LassoCare() : care_for(session.nodes() > 1);
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    refits_ = epochs_ > 1 && epoch >= epochs_ - refit_epochs_;
    orders_.draw(columns_.size(), segments(), seed_, epoch);
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t batches = ticks_of_segment(columns_.size(), segments(), share.count, batch_);
    const std::size_t floats = fitted_->spec().rows * kLassoBlock;
    Examples examples{.fitted = std::vector<float>(floats), .changes = std::vector<float>(floats)};
    std::deque<Batch> ahead;
    std::size_t made = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      for (; made < std::min(batches, i + 1 + kBatchesAhead); ++made) {
        const Tick tick{worker.tick().value() + static_cast<std::int64_t>(made - i)};
        GODWIT_TRY_ASSIGN(Batch batch,
                          make_batch(worker, tick, order.part(segment, made, batches)));
        ahead.push_back(std::move(batch));
      }
      Batch batch = std::move(ahead.front());
      ahead.pop_front();
      GODWIT_TRY_ASSIGN(const double loss, descend(worker, batch, examples));
      if (std::isfinite(loss)) GODWIT_TRY(worker.report_objective(loss));
      GODWIT_TRY(worker.advance());
      sums["loss"] += loss * static_cast<double>(batch.columns.size());
      sums["examples"] += static_cast<double>(batch.columns.size());
    }
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    std::vector<Key> keys(columns_.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    std::vector<float> values(keys.size());
    GODWIT_TRY(worker.pull(*weights_, keys, values));
    const std::vector<double> weights(values.begin(), values.end());
    const SparseRows& rows = part(split);
    const auto [first, last] = share.of(rows.size());
    double squares = 0;
    for (std::uint64_t row = first; row < last; ++row) {
      const double error = predict_lasso(columns_, weights, rows, row) - double{rows.labels[row]};
      squares += error * error;
    }
    sums["squares"] += squares;
    sums["count"] += static_cast<double>(last - first);
    double support = 0;
    double right = 0;
    if (share.index == 0) {
      for (std::size_t column = 0; column < columns_.intercept(); ++column) {
        if (std::abs(weights[column]) < kNothing) continue;
        support += 1;
        right += std::ranges::binary_search(set_.support, columns_.features[column]) ? 1 : 0;
      }
    }
    sums["support"] += support;
    sums["right"] += right;
    return {};
  }

  Figures figures(Split split, const Sums& sums) const override {
    Figures figures{{"rmse", std::sqrt(sums.at("squares") / std::max(1.0, sums.at("count")))},
                    {"support", sums.at("support")}};
    if (!set_.support.empty()) {
      figures.emplace_back("support_precision",
                           sums.at("right") / std::max(1.0, sums.at("support")));
      figures.emplace_back("support_recall",
                           sums.at("right") / static_cast<double>(set_.support.size()));
    }
    if (split == Split::kTest && set_.noise_floor > 0) {
      figures.emplace_back("noise_floor", set_.noise_floor);
    }
    return figures;
  }

 private:
  const SparseRows& part(Split split) const {
    return split == Split::kValid ? set_.valid : set_.test;
  }

  // A worker may lack what the others did in their last ticks, too.
  LassoCare care_for(bool is_distributed) const {
    double ticks = 1;
    if (common_.consistency.kind == ConsistencyKind::kSsp) {
      ticks += static_cast<double>(common_.consistency.staleness);
    } else if (common_.consistency.kind != ConsistencyKind::kBsp && is_distributed) {
      ticks += kUsualLag;
    }
    const double others = static_cast<double>(orders_.workers() - 1);
    return lasso_care(1 + others * ticks, ticks * lasso_overlap(columns_));
  }

  Result<Batch> make_batch(Worker& worker, Tick tick,
                           std::span<const std::uint64_t> columns) const {
    Batch batch;
    batch.columns.assign(columns.begin(), columns.end());
    for (const Key column : batch.columns) {
      Key last = kUnbounded;
      for (const LassoEntry& entry : columns_.of(column)) {
        const Key block = entry.example / kLassoBlock;
        if (block == last) continue;
        batch.blocks.push_back(block);
        last = block;
      }
    }
    std::ranges::sort(batch.blocks);
    batch.blocks.erase(std::unique(batch.blocks.begin(), batch.blocks.end()), batch.blocks.end());
    const Tick next{tick.value() + 1};
    GODWIT_TRY_ASSIGN(batch.weights, worker.intend(*weights_, batch.columns, tick, next));
    GODWIT_TRY_ASSIGN(batch.fitted, worker.intend(*fitted_, batch.blocks, tick, next));
    return batch;
  }

  // For all examples: what is fitted, as this worker sees it, and what it has changed of that.
  struct Examples {
    std::vector<float> fitted;
    std::vector<float> changes;
  };

  // Half the mean squared error of the examples that the batch has to do with.
  Result<double> descend(Worker& worker, Batch& batch, Examples& examples) const {
    if (batch.columns.empty()) return 0.0;
    GODWIT_TRY(worker.open(batch.weights));
    GODWIT_TRY(worker.open(batch.fitted));
    const double loss = copy_fitted(batch, examples);
    const auto own = static_cast<float>(care_.own);
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      const LeasedRow row = batch.weights[i];
      float& weight = row.value()[0];
      if (refits_ && std::abs(double{weight}) < kNothing) continue;
      const auto stepped =
          static_cast<float>(lasso_step(columns_, batch.columns[i], double{weight}, examples.fitted,
                                        refits_ ? 0 : penalty_, care_.smaller));
      const float change = stepped - weight;
      if (change == 0) continue;
      weight = stepped;
      for (const LassoEntry& entry : columns_.of(batch.columns[i])) {
        examples.changes[entry.example] += change * entry.value;
        examples.fitted[entry.example] += own * change * entry.value;
      }
    }
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      const float* const changes = &examples.changes[batch.blocks[i] * kLassoBlock];
      const LeasedRow row = batch.fitted[i];
      for (std::size_t j = 0; j < kLassoBlock; ++j) row.value()[j] += changes[j];
    }
    GODWIT_TRY(worker.close(batch.weights));
    GODWIT_TRY(worker.close(batch.fitted));
    return loss;
  }

  double copy_fitted(const Batch& batch, Examples& examples) const {
    double squares = 0;
    double count = 0;
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      const std::size_t at = batch.blocks[i] * kLassoBlock;
      {
        const LeasedRow row = batch.fitted[i];
        std::ranges::copy(row.value(), &examples.fitted[at]);
      }
      std::fill_n(&examples.changes[at], kLassoBlock, 0.0F);
      for (std::size_t j = at; j < std::min(at + kLassoBlock, columns_.labels.size()); ++j) {
        const double error = double{columns_.labels[j]} - double{examples.fitted[j]};
        squares += error * error;
        count += 1;
      }
    }
    return count > 0 ? squares / count / 2 : 0;
  }

  const SparseSet set_;
  const LassoColumns columns_;
  const double penalty_;
  const std::int64_t epochs_;
  const std::int64_t refit_epochs_;
  const std::size_t batch_;
  const std::uint64_t seed_;
  const TableSpec common_;
  LassoCare care_;
  bool refits_ = false;  // the penalty has chosen: what is left is fitted without it
  std::optional<Table> weights_;
  std::optional<Table> fitted_;
  WorkerOrders orders_;
};

}  // namespace

void add_lasso_settings(Settings& settings) {
  settings.add_number("penalty", "auto", 0, 1,
                      "auto: above the noise; share of the penalty that leaves no feature");
  settings.add_flag("refit", true, "the last quarter of epochs fits what is left without penalty");
  settings.add_count("epochs", "50", 1, 1'000'000, "times over the features");
  settings.add_count("batch", "16", 1, 1'000'000, "features of a tick");
}

Result<> resolve_lasso_settings(Settings& settings, const SparseSet& set) {
  if (set.train.size() == 0 || set.train.features.empty()) {
    return invalid_argument("there are no examples to learn from");
  }
  if (settings.text("codec") != "fp32") {
    return invalid_argument("codec is {}, but lasso needs fp32: rounded sums never settle",
                            settings.text("codec"));
  }
  if (!settings.is_auto("penalty")) return {};
  const LassoColumns columns = make_lasso_columns(set.train);
  const double largest = lasso_penalty_max(columns);
  if (!(largest > 0)) return invalid_argument("no feature has to do with the labels");
  const double share =
      set.valid.size() > 0 ? choose_lasso_penalty(columns, set.valid) / largest : 0.01;
  settings.resolve("penalty", fmt::format("{:.4g}", share));
  return {};
}

std::unique_ptr<Task> make_lasso_task(const Settings& settings, SparseSet set) {
  return std::make_unique<LassoTask>(settings, std::move(set));
}

}  // namespace godwit
