// train/queries.cc: the list of questions, and those that are the same for several tasks.
#include "train/queries.h"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.h"
#include "base/try.h"
#include "train/nearest_rows.h"
#include "train/task_queries.h"

namespace godwit {
namespace {

constexpr const char* kInputVectors = "input";  // of words
constexpr std::size_t kAnyNumber = 0;

struct QueryKind {
  const char* task;
  const char* verb;
  std::size_t words;
  const char* usage;
  Result<Answers> (*ask)(const SavedModel&, const Query&, const RunData&);
};

constexpr QueryKind kKinds[] = {
    {"kge", "similar", 1, "similar ENTITY", similar_entities},
    {"kge", "predict", 3, "predict HEAD RELATION '?' | '?' RELATION TAIL", predict_entity},
    {"mf", "similar", 1, "similar ITEM", similar_items},
    {"mf", "predict", 2, "predict USER ITEM", predict_item},
    {"mf", "recommend", 1, "recommend USER", recommend_items},
    {"w2v", "similar", 1, "similar WORD", similar_words},
    {"w2v", "analogy", 3, "analogy A B C (A is to B as C is to ?)", complete_analogy},
    {"ctr", "predict", kAnyNumber, "predict FEATURE:VALUE...", predict_click},
};

std::string usage_of(std::string_view task) {
  std::string text;
  for (const QueryKind& kind : kKinds) {
    if (kind.task == task) text += fmt::format("{}{}", text.empty() ? "" : "; ", kind.usage);
  }
  return text;
}

std::vector<float> unit(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * double{value};
  std::vector<float> vector(row.begin(), row.end());
  if (squares > 0) {
    for (float& value : vector) value = static_cast<float>(double{value} / std::sqrt(squares));
  }
  return vector;
}

Answers answers_of(const ModelTable& table, std::span<const NearRow> near, std::string question) {
  Answers answers{.question = std::move(question), .measure = "cosine"};
  for (const NearRow& each : near) answers.best.push_back({table.name_of(each.row), each.cosine});
  return answers;
}

}  // namespace

Result<Answers> similar_rows(const ModelTable& table, std::size_t length, const Query& query,
                             std::string_view what) {
  GODWIT_TRY_ASSIGN(const std::size_t row, table.find(query.words[0], what));
  const auto near = nearest_rows(table.values, table.spec.row_length,
                                 table.row(row).subspan(0, length), query.count, {&row, 1});
  return answers_of(table, near, fmt::format("similar to {}", query.words[0]));
}

Result<Answers> similar_words(const SavedModel& model, const Query& query,
                              const RunData& /*data*/) {
  GODWIT_TRY_ASSIGN(const ModelTable words, model.read(kInputVectors));
  return similar_rows(words, words.spec.row_length, query, "word");
}

Result<Answers> complete_analogy(const SavedModel& model, const Query& query,
                                 const RunData& /*data*/) {
  GODWIT_TRY_ASSIGN(const ModelTable words, model.read(kInputVectors));
  std::vector<std::size_t> rows;
  std::vector<std::vector<float>> units;
  for (const std::string& word : query.words) {
    GODWIT_TRY_ASSIGN(const std::size_t row, words.find(word, "word"));
    rows.push_back(row);
    units.push_back(unit(words.row(row)));
  }
  std::vector<float> wanted = units[1];
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += units[2][i] - units[0][i];
  const auto near = nearest_rows(words.values, words.spec.row_length, wanted, query.count, rows);
  return answers_of(
      words, near,
      fmt::format("{} is to {} as {} is to", query.words[0], query.words[1], query.words[2]));
}

Result<Answers> ask(const SavedModel& model, const Query& query, const RunData& data) {
  const std::string usage = usage_of(model.task());
  if (usage.empty()) {
    return invalid_argument(
        "models of {} answer no questions: `godwit export` writes their rows, report.html in the "
        "run's directory shows what was learned",
        model.task());
  }
  for (const QueryKind& kind : kKinds) {
    if (kind.task != model.task() || kind.verb != query.verb) continue;
    const bool is_right = kind.words == kAnyNumber || kind.words == query.words.size();
    if (!is_right) return invalid_argument("the question is: {}", kind.usage);
    return kind.ask(model, query, data);
  }
  return invalid_argument("a model of {} does not answer '{}'; it answers: {}", model.task(),
                          query.verb, usage);
}

std::string query_usage() {
  std::string text;
  for (const QueryKind& kind : kKinds) text += fmt::format("  {:5} {}\n", kind.task, kind.usage);
  return text;
}

}  // namespace godwit
