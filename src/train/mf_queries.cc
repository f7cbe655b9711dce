// train/mf_queries.cc: questions about who likes what.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/try.h"
#include "data/load.h"
#include "train/mf_kernels.h"
#include "train/mf_task.h"
#include "train/task_queries.h"

namespace godwit {
namespace {

MfLayout layout_of(const SavedModel& model) {
  return {.rank = static_cast<std::size_t>(model.settings().count("rank"))};
}

// Ratings of rows by columns, in the units of the data.
class RatingScale {
 public:
  static Result<RatingScale> of(const SavedModel& model) {
    RatingScale scale;
    scale.layout_ = layout_of(model);
    GODWIT_TRY_ASSIGN(scale.mean_, model.constant("mean"));
    GODWIT_TRY_ASSIGN(scale.deviation_, model.constant("deviation"));
    GODWIT_TRY_ASSIGN(scale.min_, model.constant("min"));
    GODWIT_TRY_ASSIGN(scale.max_, model.constant("max"));
    return scale;
  }

  // May lie beyond all ratings that there are.
  double rating(std::span<const float> row, std::span<const float> column) const {
    return mean_ + deviation_ * double{predict_rating(row.data(), column.data(), layout_)};
  }
  double within(double rating) const { return std::clamp(rating, min_, max_); }

 private:
  MfLayout layout_;
  double mean_ = 0;
  double deviation_ = 1;
  double min_ = 0;
  double max_ = 0;
};

// Columns that a row has rated, rising.
Result<std::vector<std::size_t>> rated_by(const RunData& data, const ModelTable& rows,
                                          const ModelTable& columns, std::size_t row) {
  GODWIT_TRY_ASSIGN(const DataSource source, find_data(data.catalog, data.name));
  GODWIT_TRY_ASSIGN(const Ratings ratings, load_ratings(source));
  if (ratings.row_names != rows.names || ratings.column_names != columns.names ||
      ratings.rows != rows.rows() || ratings.columns != columns.rows()) {
    return invalid_argument("'{}' is no longer what the run was made with", data.name);
  }
  std::vector<std::size_t> rated;
  for (const auto* part : {&ratings.train, &ratings.valid, &ratings.test}) {
    for (const Rating& rating : *part) {
      if (rating.row == row) rated.push_back(rating.column);
    }
  }
  std::sort(rated.begin(), rated.end());
  return rated;
}

}  // namespace

Result<Answers> similar_items(const SavedModel& model, const Query& query,
                              const RunData& /*data*/) {
  GODWIT_TRY_ASSIGN(const ModelTable columns, model.read(kMfColumns));
  return similar_rows(columns, layout_of(model).rank, query, "item");
}

Result<Answers> predict_item(const SavedModel& model, const Query& query, const RunData& /*data*/) {
  GODWIT_TRY_ASSIGN(const RatingScale scale, RatingScale::of(model));
  GODWIT_TRY_ASSIGN(const ModelTable rows, model.read(kMfRows));
  GODWIT_TRY_ASSIGN(const ModelTable columns, model.read(kMfColumns));
  GODWIT_TRY_ASSIGN(const std::size_t row, rows.find(query.words[0], "user"));
  GODWIT_TRY_ASSIGN(const std::size_t column, columns.find(query.words[1], "item"));
  const double rating = scale.within(scale.rating(rows.row(row), columns.row(column)));
  return Answers{.question = fmt::format("how {} would rate", query.words[0]),
                 .measure = "rating",
                 .best = {{query.words[1], rating}}};
}

Result<Answers> recommend_items(const SavedModel& model, const Query& query, const RunData& data) {
  GODWIT_TRY_ASSIGN(const RatingScale scale, RatingScale::of(model));
  GODWIT_TRY_ASSIGN(const ModelTable rows, model.read(kMfRows));
  GODWIT_TRY_ASSIGN(const ModelTable columns, model.read(kMfColumns));
  GODWIT_TRY_ASSIGN(const std::size_t row, rows.find(query.words[0], "user"));
  Answers answers{.question = fmt::format("for {}, not rated yet", query.words[0]),
                  .measure = "rating"};
  std::vector<std::size_t> rated;
  auto told = rated_by(data, rows, columns, row);
  if (told.ok()) {
    rated = std::move(*told);
  } else {
    answers.question = fmt::format("for {}", query.words[0]);
    answers.notes.push_back("what was rated already is not left out: " + told.error().message());
  }
  std::vector<std::pair<double, std::size_t>> scores;
  for (std::size_t column = 0; column < columns.rows(); ++column) {
    if (std::binary_search(rated.begin(), rated.end(), column)) continue;
    scores.emplace_back(scale.rating(rows.row(row), columns.row(column)), column);
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(query.count, scores.size()));
  std::partial_sort(scores.begin(), scores.begin() + count, scores.end(),
                    [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first > b.first : a.second < b.second;
                    });
  for (auto scored = scores.begin(); scored != scores.begin() + count; ++scored) {
    answers.best.push_back({columns.name_of(scored->second), scale.within(scored->first)});
  }
  return answers;
}

}  // namespace godwit
