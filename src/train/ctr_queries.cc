// train/ctr_queries.cc: how likely somebody with given features clicks.
#include <fmt/format.h>

#include <cmath>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "train/ctr_model.h"
#include "train/ctr_task.h"
#include "train/task_queries.h"

namespace godwit {
namespace {

struct Feature {
  std::string key;
  float value = 1;
};

// "12:0.5", or "12" for a value of 1.
Result<Feature> parse_feature(const std::string& word) {
  const auto colon = word.find(':');
  Feature feature{.key = word.substr(0, colon)};
  if (!parse_number<Key>(feature.key)) {
    return invalid_argument("'{}' is no feature:value, such as 12:0.5", word);
  }
  if (colon == std::string::npos) return feature;
  const auto value = parse_number<float>(std::string_view(word).substr(colon + 1));
  if (!value || !std::isfinite(*value)) {
    return invalid_argument("'{}' is no feature:value, such as 12:0.5", word);
  }
  feature.value = *value;
  return feature;
}

}  // namespace

Result<Answers> predict_click(const SavedModel& model, const Query& query,
                              const RunData& /*data*/) {
  std::vector<Feature> features{{.key = std::to_string(kBiasFeature)}};
  for (const std::string& word : query.words) {
    GODWIT_TRY_ASSIGN(Feature feature, parse_feature(word));
    features.push_back(std::move(feature));
  }
  GODWIT_TRY_ASSIGN(const ModelTable table, model.read(kCtrFeatures));
  Answers answers{.question = "how likely is a click", .measure = "probability"};
  std::vector<FeatureUse> uses;
  std::vector<const float*> rows;
  for (const Feature& feature : features) {
    const auto row = table.find(feature.key, "feature");
    if (!row.ok()) {
      answers.notes.push_back(
          fmt::format("feature {} was never seen in training: left out", feature.key));
      continue;
    }
    uses.push_back({static_cast<std::uint32_t>(rows.size()), feature.value});
    rows.push_back(table.row(*row).data());
  }
  const CtrModel ctr{.rank = table.spec.row_length - 1};
  const double odds = CtrStep(ctr).log_odds(uses, rows.data());
  answers.best.push_back({"click", 1 / (1 + std::exp(-odds))});
  return answers;
}

}  // namespace godwit
