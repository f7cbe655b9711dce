// train/kge_queries.cc: questions about a knowledge graph.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "data/load.h"
#include "train/kge_show.h"
#include "train/kge_task.h"
#include "train/task_queries.h"

namespace godwit {
namespace {

constexpr const char* kAny = "?";
constexpr std::size_t kRelationsShown = 40;

// kNotFound lists all there are.
Result<std::size_t> find_relation(const ModelTable& relations, const std::string& name,
                                  std::size_t count) {
  auto found = relations.find(name, "relation");
  if (found.ok() || relations.names.empty()) return found;
  const auto known = std::span(relations.names).subspan(0, count);
  std::string all;
  for (const std::string& each : known.subspan(0, std::min(count, kRelationsShown))) {
    all += (all.empty() ? "" : ", ") + each;
  }
  if (count > kRelationsShown) all += fmt::format(" and {} more", count - kRelationsShown);
  return not_found("there is no relation '{}'{}; there are: {}", name, did_you_mean(name, known),
                   all);
}

// Entities that the data give as answers, rising.
Result<std::vector<std::uint32_t>> known_answers(const RunData& data, const ModelTable& entities,
                                                 const KgeFact& fact, bool asks_tail) {
  GODWIT_TRY_ASSIGN(const DataSource source, find_data(data.catalog, data.name));
  GODWIT_TRY_ASSIGN(const Graph graph, load_graph(source));
  if (graph.entities != entities.names) {
    return invalid_argument("'{}' is no longer what the run was made with", data.name);
  }
  std::vector<std::uint32_t> known;
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& triple : *part) {
      if (triple.relation != fact.relation) continue;
      if (asks_tail && triple.head == fact.head) known.push_back(triple.tail);
      if (!asks_tail && triple.tail == fact.tail) known.push_back(triple.head);
    }
  }
  std::sort(known.begin(), known.end());
  return known;
}

}  // namespace

Result<Answers> similar_entities(const SavedModel& model, const Query& query,
                                 const RunData& /*data*/) {
  GODWIT_TRY_ASSIGN(const ModelTable entities, model.read(kKgeEntities));
  return similar_rows(entities, entities.spec.row_length, query, "entity");
}

Result<Answers> predict_entity(const SavedModel& model, const Query& query, const RunData& data) {
  const bool asks_tail = query.words[2] == kAny;
  if (asks_tail == (query.words[0] == kAny)) {
    return invalid_argument("one of head and tail must be '?': predict HEAD RELATION '?'");
  }
  GODWIT_TRY_ASSIGN(ModelTable entities, model.read(kKgeEntities));
  GODWIT_TRY_ASSIGN(ModelTable relations, model.read(kKgeRelations));
  const KgeModel kge = kge_model_of(model.settings());
  const std::size_t count = kge.reciprocal ? relations.rows() / 2 : relations.rows();
  GODWIT_TRY_ASSIGN(const std::size_t relation, find_relation(relations, query.words[1], count));
  GODWIT_TRY_ASSIGN(const std::size_t given,
                    entities.find(query.words[asks_tail ? 0 : 2], "entity"));
  const auto source = static_cast<std::uint32_t>(given);
  // The inverse of an inverse is the relation itself.
  const bool is_inverse = relation >= count;
  const auto plain = static_cast<std::uint32_t>(is_inverse ? relation - count : relation);
  const bool asks_plain_tail = asks_tail != is_inverse;
  KgeQuestion question{.source = source, .relation = plain};
  if (!asks_plain_tail) {
    question.backward = !kge.reciprocal;
    if (kge.reciprocal) question.relation += static_cast<std::uint32_t>(count);
  }
  const KgeMatrices rows{std::move(entities.values), std::move(relations.values)};
  Answers answers{.question = fmt::format("{}", fmt::join(query.words, " ")), .measure = "score"};
  std::vector<std::uint32_t> known;
  auto told = known_answers(data, entities, {source, plain, source}, asks_plain_tail);
  if (told.ok()) {
    known = std::move(*told);
  } else {
    answers.notes.push_back("which of these are known is not told: " + told.error().message());
  }
  for (const ScoredEntity& scored : best_answers(kge, rows, question, query.count, {})) {
    answers.best.push_back({entities.name_of(scored.entity), scored.score,
                            std::binary_search(known.begin(), known.end(), scored.entity)});
  }
  return answers;
}

}  // namespace godwit
