// train/kge_step.cc: questions in chunks whose scores stay in the cache.
#include "train/kge_step.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/errors.h"
#include "train/gemm.h"
#include "train/kge_distance.h"
#include "train/kge_kernels.h"

namespace godwit {
namespace {

// Scores kept at a time: written, turned into slopes and read twice, they should not leave the
// cache; but a product with few rows is slow.
constexpr std::size_t kScoresMax = std::size_t{1} << 19;
constexpr std::size_t kChunkMin = 256;

}  // namespace

Result<> KgeObjective::validate() const {
  for (const float number : {negatives, entity_penalty, relation_penalty}) {
    if (!std::isfinite(number) || number < 0) {
      return invalid_argument("{} is no weight of a loss or penalty: finite numbers >= 0 are",
                              number);
    }
  }
  if (!std::isfinite(margin)) return invalid_argument("the margin {} is not finite", margin);
  return {};
}

// Questions [begin, begin + size) of a batch with `entities` candidates.
struct KgeStep::Chunk {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::size_t entities = 0;
  float* entity_gradients = nullptr;
  const float* vectors = nullptr;
  float* vector_gradients = nullptr;
};

KgeStep::KgeStep(const KgeModel& model, const KgeObjective& objective)
    : model_(model), objective_(objective), asked_(model) {}

KgeBatchLoss KgeStep::run(const KgeBatch& batch, std::span<float> entity_gradients,
                          std::span<float> relation_gradients) {
  const std::size_t n = model_.entity_length();
  const std::size_t entities = batch.entities.size() / n;
  GODWIT_CHECK_EQ(batch.entities.size(), entity_gradients.size());
  GODWIT_CHECK_EQ(batch.relations.size(), relation_gradients.size());
  GODWIT_CHECK_EQ(batch.relations.size(),
                  model_.relation_rows(batch.relation_count) * model_.relation_length());
  GODWIT_CHECK_LE(batch.own_entities, entities);
  for (const KgeFact& fact : batch.facts) {
    GODWIT_CHECK_LT(std::max(fact.head, fact.tail), batch.own_entities);
  }

  std::fill(entity_gradients.begin(), entity_gradients.end(), 0.0F);
  std::fill(relation_gradients.begin(), relation_gradients.end(), 0.0F);
  if (batch.facts.empty()) return {};

  ask(model_, batch.facts, batch.relation_count, &questions_);
  const KgeRows rows{batch.entities.data(), batch.relations.data()};
  const KgeRowGradients gradients{entity_gradients.data(), relation_gradients.data()};
  vectors_.resize(questions_.size() * n);
  vector_gradients_.resize(questions_.size() * n);
  asked_.vectors(questions_, rows, vectors_.data());
  if (model_.kind == KgeKind::kTranse && model_.norm == KgeNorm::kL2) {
    entity_squares_.resize(entities);
    slope_sums_.assign(entities, 0.0F);
    for (std::size_t i = 0; i < entities; ++i) {
      entity_squares_[i] = sum_of_squares(rows.entities + i * n, n);
    }
  }

  KgeBatchLoss result;
  const std::size_t chunk_size = std::max(kChunkMin, kScoresMax / entities);
  for (std::size_t begin = 0; begin < questions_.size(); begin += chunk_size) {
    result.loss += run_chunk(batch, {.begin = begin,
                                     .size = std::min(chunk_size, questions_.size() - begin),
                                     .entities = entities,
                                     .entity_gradients = gradients.entities,
                                     .vectors = vectors_.data() + begin * n,
                                     .vector_gradients = vector_gradients_.data() + begin * n});
  }
  if (!slope_sums_.empty()) {
    for (std::size_t i = 0; i < entities; ++i) {
      add_scaled(rows.entities + i * n, -slope_sums_[i], n, gradients.entities + i * n);
    }
  }
  asked_.add_gradients(questions_, rows, vector_gradients_.data(), gradients);
  result.penalty = add_penalties(batch, gradients);
  return result;
}

double KgeStep::run_chunk(const KgeBatch& batch, const Chunk& chunk) {
  score(batch, chunk);
  const double loss = slopes_of_losses(batch, chunk);
  gradients_of_scores(batch, chunk);
  return loss;
}

void KgeStep::score(const KgeBatch& batch, const Chunk& chunk) {
  const std::size_t n = model_.entity_length();
  scores_.resize(chunk.size * chunk.entities);
  if (model_.kind == KgeKind::kTranse && model_.norm == KgeNorm::kL1) {
    l1_scores({chunk.size, chunk.entities, n}, chunk.vectors, batch.entities.data(),
              scores_.data());
    return;
  }
  gemm(MatrixView::dense(chunk.vectors, chunk.size, n),
       MatrixView::dense(batch.entities.data(), chunk.entities, n).transpose(),
       GemmInto::kOverwrite, scores_.data());
}

// For TransE with L2 the slopes are those of the squared distances' halves, negated.
double KgeStep::slopes_of_losses(const KgeBatch& batch, const Chunk& chunk) {
  const std::size_t n = model_.entity_length();
  const bool l2 = !slope_sums_.empty();
  double loss = 0;
  for (std::size_t i = 0; i < chunk.size; ++i) {
    const std::span<float> scores{scores_.data() + i * chunk.entities, chunk.entities};
    if (l2) {
      const float square = sum_of_squares(chunk.vectors + i * n, n);
      l2_scores_from_products(square, entity_squares_.data(), chunk.entities, scores.data());
      distances_.assign(scores.begin(), scores.end());
    }
    const Candidates candidates{.scores = scores,
                                .own = batch.own_entities,
                                .weight = batch.drawn_weight,
                                .answer = questions_[chunk.begin + i].answer};
    loss += objective_.loss == KgeLoss::kSoftmax
                ? softmax_loss(candidates)
                : logistic_loss(candidates, objective_.margin, objective_.negatives);
    if (l2) {
      const float sum = divide_by_distances(distances_.data(), chunk.entities, scores.data());
      add_scaled(scores.data(), 1.0F, chunk.entities, slope_sums_.data());
      float* gradient = chunk.vector_gradients + i * n;
      std::fill_n(gradient, n, 0.0F);
      add_scaled(chunk.vectors + i * n, -sum, n, gradient);
    }
  }
  return loss;
}

void KgeStep::gradients_of_scores(const KgeBatch& batch, const Chunk& chunk) {
  const std::size_t n = model_.entity_length();
  if (model_.kind == KgeKind::kTranse && model_.norm == KgeNorm::kL1) {
    std::fill_n(chunk.vector_gradients, chunk.size * n, 0.0F);
    l1_gradients({chunk.size, chunk.entities, n}, chunk.vectors, batch.entities.data(),
                 scores_.data(), chunk.vector_gradients, chunk.entity_gradients);
    return;
  }
  const auto slopes = MatrixView::dense(scores_.data(), chunk.size, chunk.entities);
  gemm(slopes, MatrixView::dense(batch.entities.data(), chunk.entities, n),
       slope_sums_.empty() ? GemmInto::kOverwrite : GemmInto::kAdd, chunk.vector_gradients);
  gemm(slopes.transpose(), MatrixView::dense(chunk.vectors, chunk.size, n), GemmInto::kAdd,
       chunk.entity_gradients);
}

double KgeStep::add_penalty(const float* row, std::size_t length, float weight,
                            float* gradient) const {
  if (objective_.penalty == KgePenalty::kSquare) return add_square(row, weight, length, gradient);
  if (model_.kind == KgeKind::kComplex) {
    return add_cubic_complex(row, weight, length / 2, gradient);
  }
  return add_cubic(row, weight, length, gradient);
}

double KgeStep::add_penalties(const KgeBatch& batch, const KgeRowGradients& gradients) const {
  const std::size_t n = model_.entity_length();
  const std::size_t m = model_.relation_length();
  // A row that occurs k times has k times the penalty; once over the row will do.
  std::vector<float> entity_uses(batch.own_entities, 0.0F);
  std::vector<float> relation_uses(batch.relation_count, 0.0F);
  for (const KgeFact& fact : batch.facts) {
    ++entity_uses[fact.head];
    ++entity_uses[fact.tail];
    ++relation_uses[fact.relation];
  }
  double sum = 0;
  for (std::size_t i = 0; objective_.entity_penalty > 0 && i < entity_uses.size(); ++i) {
    sum += add_penalty(batch.entities.data() + i * n, n, entity_uses[i] * objective_.entity_penalty,
                       gradients.entities + i * n);
  }
  const std::size_t relation_rows = model_.relation_rows(batch.relation_count);
  for (std::size_t i = 0; objective_.relation_penalty > 0 && i < relation_rows; ++i) {
    const float uses = relation_uses[i % batch.relation_count];
    if (uses == 0) continue;
    sum += add_penalty(batch.relations.data() + i * m, m, uses * objective_.relation_penalty,
                       gradients.relations + i * m);
  }
  return sum;
}

}  // namespace godwit
