// bench/staleness_case.cc: names, what is usual, what cannot be run.
#include "bench/staleness_case.h"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.h"

namespace godwit {

const char* to_string(StalenessModel model) {
  return model == StalenessModel::kMf ? "mf" : "lda";
}

Result<StalenessModel> parse_staleness_model(std::string_view name) {
  for (const StalenessModel model : {StalenessModel::kMf, StalenessModel::kLda}) {
    if (name == to_string(model)) return model;
  }
  return invalid_argument("model '{}' is neither mf nor lda", name);
}

StalenessCase StalenessCase::usual(StalenessModel model) {
  if (model == StalenessModel::kMf) return {};
  // Who knows the planted topics, and which of them a document has, reaches about -4.70.
  return {.model = model, .ticks = 1000, .batch = 4, .objective = -4.85};
}

Result<> StalenessCase::validate() const {
  if (nodes < 1 || workers < 1 || ticks < 1 || batch < 1) {
    return invalid_argument(
        "there must be a node, a worker, a tick and one to learn from at least");
  }
  if (static_cast<std::size_t>(workers * ticks) > kStalenessBatchesMax) {
    return invalid_argument("{} workers x {} ticks: a node may have {} batches", workers, ticks,
                            kStalenessBatchesMax);
  }
  if (step_ms >= 0 && step_ms <= 1000) return {};
  return invalid_argument("step_ms is {}: it must be 0 to 1000", step_ms);
}

std::string setting_of(const StalenessCase& that) {
  return fmt::format("{}/{}/nodes={}x{}/step={}ms", to_string(that.model),
                     to_string(that.straggler), that.nodes, that.workers, that.step_ms);
}

std::string to_string(const StalenessCase& that) {
  return setting_of(that) + "/" + to_string(that.consistency);
}

const char* quality_name(StalenessModel model) {
  return model == StalenessModel::kMf ? "rmse" : "loglik";
}

double quality_of(StalenessModel model, double loss) {
  return model == StalenessModel::kMf ? std::sqrt(loss) : -loss;
}

double loss_of(StalenessModel model, double quality) {
  return model == StalenessModel::kMf ? quality * quality : -quality;
}

}  // namespace godwit
