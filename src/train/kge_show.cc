// train/kge_show.cc: scores of single questions by the same vectors as in training.
#include "train/kge_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "train/nearest_rows.h"

namespace godwit {
namespace {

constexpr std::size_t kShown = 5;
// Shown if the graph has them; else entities with most facts.
constexpr std::array<const char*, 4> kWordsShown{"river.n.01", "dog.n.01", "violin.n.01",
                                                 "happy.a.01"};

double dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// How often each entity answers (?, relation) in training facts.
using Counts = std::map<std::uint32_t, std::unordered_map<std::uint32_t, std::uint32_t>>;

// The rank of `answer` among all entities by falling count, ties at their mean.
double popularity_rank(const std::unordered_map<std::uint32_t, std::uint32_t>& counts,
                       std::size_t entities, std::uint32_t answer,
                       std::span<const std::uint32_t> known) {
  const auto count_of = [&](std::uint32_t entity) {
    const auto found = counts.find(entity);
    return found == counts.end() ? 0U : found->second;
  };
  const std::uint32_t mine = count_of(answer);
  double higher = 0;
  double same = mine == 0 ? static_cast<double>(entities - counts.size()) : 0;
  for (const auto& [entity, count] : counts) {
    higher += count > mine ? 1 : 0;
    same += count == mine ? 1 : 0;
  }
  for (const std::uint32_t entity : known) {  // they do not count, the answer aside
    if (entity == answer) continue;
    higher -= count_of(entity) > mine ? 1 : 0;
    same -= count_of(entity) == mine ? 1 : 0;
  }
  return 1 + higher + (same - 1) / 2;
}

std::vector<std::uint32_t> entities_to_show(const Graph& graph) {
  std::vector<std::uint32_t> shown;
  for (const char* word : kWordsShown) {
    const auto found = std::find(graph.entities.begin(), graph.entities.end(), word);
    if (found == graph.entities.end()) continue;
    shown.push_back(static_cast<std::uint32_t>(found - graph.entities.begin()));
  }
  if (!shown.empty()) return shown;
  std::vector<std::uint32_t> facts(graph.entities.size());
  for (const Triple& triple : graph.train) {
    ++facts[triple.head];
    ++facts[triple.tail];
  }
  std::vector<std::uint32_t> order(facts.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t count = std::min(kWordsShown.size(), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](auto a, auto b) { return facts[a] > facts[b]; });
  order.resize(count);
  return order;
}

}  // namespace

double popularity_mrr(const Graph& graph, std::span<const Triple> facts, const KnownFacts& known) {
  Counts tails;
  Counts heads;
  for (const Triple& fact : graph.train) {
    ++tails[fact.relation][fact.tail];
    ++heads[fact.relation][fact.head];
  }
  double sum = 0;
  for (const Triple& fact : facts) {
    sum += 1 / popularity_rank(tails[fact.relation], graph.entities.size(), fact.tail,
                               known.tails(fact.head, fact.relation));
    sum += 1 / popularity_rank(heads[fact.relation], graph.entities.size(), fact.head,
                               known.heads(fact.relation, fact.tail));
  }
  return facts.empty() ? 0 : sum / (2 * static_cast<double>(facts.size()));
}

std::vector<Neighbour> nearest_entities(std::span<const float> entities, std::size_t length,
                                        std::uint32_t entity, std::size_t count) {
  const std::size_t skipped = entity;
  std::vector<Neighbour> nearest;
  for (const NearRow& near : nearest_rows(
           entities, length, entities.subspan(entity * length, length), count, {&skipped, 1})) {
    nearest.push_back({static_cast<std::uint32_t>(near.row), static_cast<float>(near.cosine)});
  }
  return nearest;
}

std::vector<ScoredEntity> best_answers(const KgeModel& model, const KgeMatrices& rows,
                                       const KgeQuestion& question, std::size_t count,
                                       std::span<const std::uint32_t> skipped) {
  const std::size_t length = model.entity_length();
  const std::size_t entities = rows.entities.size() / length;
  std::vector<float> vector(length);
  KgeQuestions questions(model);
  questions.vectors({&question, 1}, rows.rows(), vector.data());
  std::vector<ScoredEntity> scores;
  for (std::uint32_t entity = 0; entity < entities; ++entity) {
    if (std::binary_search(skipped.begin(), skipped.end(), entity)) continue;
    const float* const row = &rows.entities[entity * length];
    double score = 0;
    if (model.kind == KgeKind::kTranse) {
      for (std::size_t i = 0; i < length; ++i) {
        const double apart = double{vector[i]} - double{row[i]};
        score -= model.norm == KgeNorm::kL1 ? std::abs(apart) : apart * apart;
      }
    } else {
      score = dot(vector.data(), row, length);
    }
    scores.push_back({entity, score});
  }
  count = std::min(count, scores.size());
  std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count),
                    scores.end(), [](const ScoredEntity& a, const ScoredEntity& b) {
                      return a.score != b.score ? a.score > b.score : a.entity < b.entity;
                    });
  scores.resize(count);
  return scores;
}

std::vector<std::uint32_t> best_tails(const KgeModel& model, const KgeMatrices& rows,
                                      const KnownFacts& known, const KgeFact& fact,
                                      std::size_t count, std::uint32_t keep) {
  const auto tails = known.tails(fact.head, fact.relation);
  std::vector<std::uint32_t> skipped(tails.begin(), tails.end());
  std::erase(skipped, keep);
  const KgeQuestion question{fact.head, fact.relation, fact.tail, false};
  std::vector<std::uint32_t> best;
  for (const ScoredEntity& scored : best_answers(model, rows, question, count, skipped)) {
    best.push_back(scored.entity);
  }
  return best;
}

std::vector<RunSection> show_kge(const Graph& graph, const KgeModel& model, const KgeMatrices& rows,
                                 const KnownFacts& known) {
  RunSection near{.title = "Nearest neighbours (cosine)",
                  .table = {{"entity", "nearest", "", "", ""}}};
  for (const std::uint32_t entity : entities_to_show(graph)) {
    std::vector<std::string> line{graph.entities[entity]};
    for (const Neighbour& other :
         nearest_entities(rows.entities, model.entity_length(), entity, kShown - 1)) {
      line.push_back(fmt::format("{} {:.2f}", graph.entities[other.entity], other.cosine));
    }
    line.resize(kShown);
    near.table.push_back(std::move(line));
  }
  RunSection answers{.title = "Held-out facts: what the model answers",
                     .table = {{"question", "best answers", "true answer"}}};
  const std::size_t stride = std::max<std::size_t>(1, graph.test.size() / kShown);
  for (std::size_t i = 0; i < graph.test.size() && answers.table.size() <= kShown; i += stride) {
    const Triple& triple = graph.test[i];
    const KgeFact fact{triple.head, triple.relation, triple.tail};
    std::string best;
    for (const std::uint32_t entity : best_tails(model, rows, known, fact, 3, fact.tail)) {
      best += (best.empty() ? "" : ", ") + graph.entities[entity];
    }
    answers.table.push_back(
        {fmt::format("{} {} ?", graph.entities[triple.head], graph.relations[triple.relation]),
         best, graph.entities[triple.tail]});
  }
  return {near, answers};
}

}  // namespace godwit
