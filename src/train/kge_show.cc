// train/kge_show.cc: scores of single questions by the same vectors as in training.
#include "train/kge_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "train/nearest_rows.h"

namespace godwit {
namespace {

constexpr std::size_t kShown = 5;
constexpr std::size_t kShownRight = 3;
constexpr std::size_t kTried = 60;  // of the test facts, at most
// Shown if the graph has them; else entities with most facts.
constexpr std::array<const char*, 4> kWordsShown{"river.n.01", "dog.n.01", "violin.n.01",
                                                 "happy.a.01"};

double dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// How often each entity answers questions of a relation in training facts.
class Popularity {
 public:
  void add(std::uint32_t entity) { ++counts_[entity]; }
  void settle() {
    for (const auto& [entity, count] : counts_) falling_.push_back(count);
    std::sort(falling_.begin(), falling_.end(), std::greater<>());
  }

  // The rank of `answer` among all entities by falling count, ties at their mean; known answers do
  // not count.
  double rank(std::size_t entities, std::uint32_t answer,
              std::span<const std::uint32_t> known) const {
    const std::uint32_t mine = count_of(answer);
    const auto [first, last] =
        std::equal_range(falling_.begin(), falling_.end(), mine, std::greater<>());
    auto higher = static_cast<double>(first - falling_.begin());
    auto same = static_cast<double>(mine == 0 ? entities - falling_.size()
                                              : static_cast<std::size_t>(last - first));
    for (const std::uint32_t entity : known) {
      if (entity == answer) continue;
      higher -= count_of(entity) > mine ? 1 : 0;
      same -= count_of(entity) == mine ? 1 : 0;
    }
    return 1 + higher + (same - 1) / 2;
  }

 private:
  std::uint32_t count_of(std::uint32_t entity) const {
    const auto found = counts_.find(entity);
    return found == counts_.end() ? 0 : found->second;
  }

  std::unordered_map<std::uint32_t, std::uint32_t> counts_;
  std::vector<std::uint32_t> falling_;
};

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
  std::vector<Popularity> tails(graph.relations.size());
  std::vector<Popularity> heads(graph.relations.size());
  for (const Triple& fact : graph.train) {
    tails[fact.relation].add(fact.tail);
    heads[fact.relation].add(fact.head);
  }
  for (Popularity& popularity : tails) popularity.settle();
  for (Popularity& popularity : heads) popularity.settle();
  double sum = 0;
  for (const Triple& fact : facts) {
    sum += 1 / tails[fact.relation].rank(graph.entities.size(), fact.tail,
                                         known.tails(fact.head, fact.relation));
    sum += 1 / heads[fact.relation].rank(graph.entities.size(), fact.head,
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
  RunSection answers{.title = "Some held-out facts: up to three it gets right, two it does not",
                     .table = {{"question", "best answers", "true answer"}}};
  std::size_t right = 0;
  std::size_t wrong = 0;
  const std::size_t stride = std::max<std::size_t>(1, graph.test.size() / kTried);
  for (std::size_t i = 0; i < graph.test.size() && right + wrong < kShown; i += stride) {
    const Triple& triple = graph.test[i];
    const KgeFact fact{triple.head, triple.relation, triple.tail};
    const auto best = best_tails(model, rows, known, fact, 3, fact.tail);
    const bool is_right = best[0] == fact.tail;
    if (is_right ? right == kShownRight : wrong == kShown - kShownRight) continue;
    ++(is_right ? right : wrong);
    std::string names;
    for (const std::uint32_t entity : best) {
      names += (names.empty() ? "" : ", ") + graph.entities[entity];
    }
    answers.table.push_back(
        {fmt::format("{} {} ?", graph.entities[triple.head], graph.relations[triple.relation]),
         names, graph.entities[triple.tail]});
  }
  return {near, answers};
}

}  // namespace godwit
