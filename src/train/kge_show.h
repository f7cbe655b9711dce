// train/kge_show.h: what a person can judge a model of a graph by: neighbours, answers, and what
// guessing by popularity would reach. Pure.
#pragma once

#include <span>
#include <vector>

#include "data/triples.h"
#include "report/run_lines.h"
#include "train/kge_model.h"
#include "train/kge_questions.h"
#include "train/kge_ranking.h"

namespace godwit {

// All rows of a model.
struct KgeMatrices {
  std::vector<float> entities;
  std::vector<float> relations;

  KgeRows rows() const { return {entities.data(), relations.data()}; }
};

// The filtered MRR of answering every question with the entities that most often answer its
// relation in the training facts: heads and tails of `facts`.
double popularity_mrr(const Graph& graph, std::span<const Triple> facts, const KnownFacts& known);

// Entities nearest to `entity` by the angle between their rows, nearest first, with its cosine.
struct Neighbour {
  std::uint32_t entity = 0;
  float cosine = 0;
};
std::vector<Neighbour> nearest_entities(std::span<const float> entities, std::size_t length,
                                        std::uint32_t entity, std::size_t count);

// Entities that score highest as the answer, highest first, without those of `skipped` (rising).
struct ScoredEntity {
  std::uint32_t entity = 0;
  double score = 0;
};
std::vector<ScoredEntity> best_answers(const KgeModel& model, const KgeMatrices& rows,
                                       const KgeQuestion& question, std::size_t count,
                                       std::span<const std::uint32_t> skipped);

// Entities that best complete (head, relation, ?), best first; without known ones but `keep`.
std::vector<std::uint32_t> best_tails(const KgeModel& model, const KgeMatrices& rows,
                                      const KnownFacts& known, const KgeFact& fact,
                                      std::size_t count, std::uint32_t keep);

// Neighbours of some entities and answers to some questions of the test facts.
std::vector<RunSection> show_kge(const Graph& graph, const KgeModel& model, const KgeMatrices& rows,
                                 const KnownFacts& known);

}  // namespace godwit
