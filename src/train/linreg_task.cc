// train/linreg_task.cc: half the squared error, and its gradient.
#include "train/linreg_task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "train/step_model.h"
#include "train/step_task.h"

namespace godwit {
namespace {

constexpr std::uint32_t kRow = 64;
constexpr std::uint64_t kFeaturesMax = 10'000'000;

class LinregModel final : public StepModel {
 public:
  explicit LinregModel(SparseSet set) : set_(std::move(set)) {}

  std::vector<StepTable> tables() const override {
    return {{.name = "weights",
             .rows = set_.features / kRow + 1,
             .row_length = kRow,
             .init = Init::zeros()}};
  }
  std::uint64_t samples() const override { return set_.train.size(); }
  std::unique_ptr<StepGradients> gradients() const override;
  std::string quality_name() const override { return "rmse"; }
  bool is_larger_better() const override { return false; }
  bool has(Split split) const override { return size(split) > 0; }
  std::uint64_t size(Split split) const override { return part(split).size(); }
  std::vector<std::string> data_notes() const override { return set_.understood.lines; }

  void judge(std::span<const float> parameters, Split split, std::uint64_t first,
             std::uint64_t last, Sums& sums) const override {
    double squares = 0;
    for (std::uint64_t row = first; row < last; ++row) {
      const double error = error_of(parameters, part(split), row);
      squares += error * error;
    }
    sums["squares"] += squares;
    sums["count"] += static_cast<double>(last - first);
  }
  Figures figures(Split split, const Sums& sums) const override {
    Figures figures{{"rmse", std::sqrt(sums.at("squares") / std::max(1.0, sums.at("count")))}};
    if (split == Split::kTest && set_.noise_floor > 0) {
      figures.emplace_back("noise_floor", set_.noise_floor);
    }
    return figures;
  }

  // What is predicted, minus the label.
  double error_of(std::span<const float> weights, const SparseRows& rows, std::uint64_t row) const {
    double sum = double{weights[set_.features]} - double{rows.labels[row]};
    for (std::uint64_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
      sum += double{weights[rows.features[i]]} * double{rows.values[i]};
    }
    return sum;
  }
  const SparseSet& set() const { return set_; }

 private:
  const SparseRows& part(Split split) const {
    return split == Split::kValid ? set_.valid : set_.test;
  }

  const SparseSet set_;
};

class LinregGradients final : public StepGradients {
 public:
  explicit LinregGradients(const LinregModel& model) : model_(model) {}

  double add(std::span<const float> parameters, std::span<const std::uint64_t> samples,
             std::span<float> sums) override {
    const SparseRows& rows = model_.set().train;
    double loss = 0;
    for (const std::uint64_t sample : samples) {
      const double error = model_.error_of(parameters, rows, sample);
      loss += error * error / 2;
      const auto factor = static_cast<float>(error);
      for (std::uint64_t i = rows.begins[sample]; i < rows.begins[sample + 1]; ++i) {
        sums[rows.features[i]] += factor * rows.values[i];
      }
      sums[model_.set().features] += factor;
    }
    return loss;
  }

 private:
  const LinregModel& model_;
};

std::unique_ptr<StepGradients> LinregModel::gradients() const {
  return std::make_unique<LinregGradients>(*this);
}

}  // namespace

void add_linreg_settings(Settings& settings) {
  add_step_settings(settings, {.epochs = "20", .batch = "64", .learning_rate = "0.02"});
}

Result<std::unique_ptr<Task>> make_linreg_task(const Settings& settings, SparseSet set) {
  if (set.features > kFeaturesMax) {
    return invalid_argument("{} features: linreg keeps all weights everywhere, up to {}",
                            set.features, kFeaturesMax);
  }
  auto model = std::make_unique<LinregModel>(std::move(set));
  GODWIT_TRY(check_step_settings(settings, *model));
  return make_step_task(settings, std::move(model));
}

}  // namespace godwit
