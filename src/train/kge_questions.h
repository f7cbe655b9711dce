// train/kge_questions.h: from questions to the vectors that candidates are scored with, and back.
// Not thread-safe: a KgeQuestions belongs to one worker and keeps its room between batches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "train/kge_model.h"

namespace godwit {

// Rows of embeddings, dense in row-major order: `entities` of model.entity_length() floats,
// `relations` of model.relation_length().
struct KgeRows {
  const float* entities = nullptr;
  const float* relations = nullptr;
};

struct KgeRowGradients {
  float* entities = nullptr;
  float* relations = nullptr;
};

class KgeQuestions {
 public:
  explicit KgeQuestions(const KgeModel& model) : model_(model) {}

  // vectors[i], of entity_length floats, is what question i is answered with: a candidate e scores
  // the inner product of the two, or for TransE their negative distance.
  // REQUIRES: the numbers in `questions` are numbers of rows; equal relations lie together.
  void vectors(std::span<const KgeQuestion> questions, const KgeRows& rows, float* vectors);

  // Adds to `gradients` the derivatives with respect to sources and relations, given those with
  // respect to the vectors. REQUIRES: as above.
  void add_gradients(std::span<const KgeQuestion> questions, const KgeRows& rows,
                     const float* vector_gradients, const KgeRowGradients& gradients);

 private:
  // RESCAL: one matrix product for the questions of a relation.
  void map_group(std::span<const KgeQuestion> group, const KgeRows& rows, float* vectors);
  void add_group_gradients(std::span<const KgeQuestion> group, const KgeRows& rows,
                           const float* vector_gradients, const KgeRowGradients& gradients);
  void gather_sources(std::span<const KgeQuestion> group, const KgeRows& rows);

  KgeModel model_;
  std::vector<float> sources_;
  std::vector<float> source_gradients_;
};

}  // namespace godwit
