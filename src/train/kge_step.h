// train/kge_step.h: loss and gradients of a batch of facts, on dense matrices.
// Not thread-safe: a KgeStep belongs to one worker. Knows no tables: who calls gathers the rows of
// the batch and applies the gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "godwit/result.h"
#include "train/kge_model.h"
#include "train/kge_questions.h"

namespace godwit {

enum class KgeLoss : std::uint8_t { kSoftmax, kLogistic };
enum class KgePenalty : std::uint8_t { kCubic, kSquare };

// What is minimized, as a sum over the two questions of each fact.
struct KgeObjective {
  KgeLoss loss = KgeLoss::kSoftmax;
  float margin = 0;     // of kLogistic, added to the scores: TransE's are all negative
  float negatives = 1;  // of kLogistic: what the other candidates weigh against the answer

  // On the rows of head, tail and relation of each fact, once for each time they occur: the N3
  // norm (over moduli for ComplEx), or the square.
  KgePenalty penalty = KgePenalty::kCubic;
  float entity_penalty = 0.1F;
  float relation_penalty = 0.1F;

  // kInvalidArgument for what is negative or not finite.
  Result<> validate() const;
};

// A batch in terms of the rows it touches, each there once: all entity rows are candidates for all
// questions. The first `own_entities` are those that occur in facts; the others were drawn evenly
// from the rest of the graph, and each counts `drawn_weight` times, which with (entities of the
// graph - own) / drawn makes sums over candidates unbiased estimates of sums over the graph. With
// all entities there, and weight 1, this is "1 versus all".
struct KgeBatch {
  std::span<const float> entities;
  std::span<const float> relations;
  std::size_t relation_count = 0;  // rows are that many, or twice with reciprocal ones behind
  std::span<const KgeFact> facts;  // numbers of rows of this batch
  std::size_t own_entities = 0;
  float drawn_weight = 1;
};

struct KgeBatchLoss {
  double loss = 0;  // summed over 2 * facts.size() questions
  double penalty = 0;
};

class KgeStep {
 public:
  // REQUIRES: both are valid.
  KgeStep(const KgeModel& model, const KgeObjective& objective);

  // The gradients of loss + penalty, summed over the batch, overwrite what was in the two spans.
  // They have the shape of the rows; the inputs stay as they are.
  // REQUIRES: the spans are whole numbers of rows; facts name rows that are there, entities below
  // own_entities.
  KgeBatchLoss run(const KgeBatch& batch, std::span<float> entity_gradients,
                   std::span<float> relation_gradients);

 private:
  struct Chunk;
  double run_chunk(const KgeBatch& batch, const Chunk& chunk);
  void score(const KgeBatch& batch, const Chunk& chunk);
  double slopes_of_losses(const KgeBatch& batch, const Chunk& chunk);
  void gradients_of_scores(const KgeBatch& batch, const Chunk& chunk);
  double add_penalties(const KgeBatch& batch, const KgeRowGradients& gradients) const;
  double add_penalty(const float* row, std::size_t length, float weight, float* gradient) const;

  KgeModel model_;
  KgeObjective objective_;
  KgeQuestions asked_;
  std::vector<KgeQuestion> questions_;
  std::vector<float> vectors_;  // one per question
  std::vector<float> vector_gradients_;
  std::vector<float> scores_;          // of one chunk of questions; then their slopes
  std::vector<float> entity_squares_;  // TransE with L2, as are the two below
  std::vector<float> distances_;
  std::vector<float> slope_sums_;  // by entity
};

}  // namespace godwit
