// train/kge_questions.cc: products row by row; RESCAL by matrix products.
#include "train/kge_questions.h"

#include <algorithm>

#include "train/gemm.h"
#include "train/kge_kernels.h"

namespace godwit {
namespace {

// How many questions from the first on share its relation and direction.
std::size_t group_size(std::span<const KgeQuestion> questions) {
  const KgeQuestion& first = questions.front();
  std::size_t n = 1;
  while (n < questions.size() && questions[n].relation == first.relation &&
         questions[n].backward == first.backward) {
    ++n;
  }
  return n;
}

}  // namespace

void KgeQuestions::vectors(std::span<const KgeQuestion> questions, const KgeRows& rows,
                           float* vectors) {
  const std::size_t n = model_.entity_length();
  if (model_.kind == KgeKind::kRescal) {
    while (!questions.empty()) {
      const std::size_t size = group_size(questions);
      map_group(questions.first(size), rows, vectors);
      questions = questions.subspan(size);
      vectors += size * n;
    }
    return;
  }
  if (model_.kind != KgeKind::kTranse) std::fill_n(vectors, questions.size() * n, 0.0F);
  for (const KgeQuestion& question : questions) {
    const float* source = rows.entities + question.source * n;
    const float* relation = rows.relations + question.relation * n;
    if (model_.kind == KgeKind::kComplex) {
      multiply_add_complex(source, relation, question.backward, model_.rank, vectors);
    } else if (model_.kind == KgeKind::kDistmult) {
      multiply_add(source, relation, n, vectors);
    } else {
      std::copy_n(source, n, vectors);
      add_scaled(relation, question.backward ? -1.0F : 1.0F, n, vectors);
    }
    vectors += n;
  }
}

void KgeQuestions::add_gradients(std::span<const KgeQuestion> questions, const KgeRows& rows,
                                 const float* vector_gradients, const KgeRowGradients& gradients) {
  const std::size_t n = model_.entity_length();
  if (model_.kind == KgeKind::kRescal) {
    while (!questions.empty()) {
      const std::size_t size = group_size(questions);
      add_group_gradients(questions.first(size), rows, vector_gradients, gradients);
      questions = questions.subspan(size);
      vector_gradients += size * n;
    }
    return;
  }
  for (const KgeQuestion& question : questions) {
    const float* source = rows.entities + question.source * n;
    const float* relation = rows.relations + question.relation * n;
    float* source_gradient = gradients.entities + question.source * n;
    float* relation_gradient = gradients.relations + question.relation * n;
    if (model_.kind == KgeKind::kComplex) {
      // v = s r gives g conj(r) and g conj(s); v = s conj(r) gives g r and s conj(g).
      multiply_add_complex(vector_gradients, relation, !question.backward, model_.rank,
                           source_gradient);
      if (question.backward) {
        multiply_add_complex(source, vector_gradients, true, model_.rank, relation_gradient);
      } else {
        multiply_add_complex(vector_gradients, source, true, model_.rank, relation_gradient);
      }
    } else if (model_.kind == KgeKind::kDistmult) {
      multiply_add(vector_gradients, relation, n, source_gradient);
      multiply_add(vector_gradients, source, n, relation_gradient);
    } else {
      add_scaled(vector_gradients, 1.0F, n, source_gradient);
      add_scaled(vector_gradients, question.backward ? -1.0F : 1.0F, n, relation_gradient);
    }
    vector_gradients += n;
  }
}

void KgeQuestions::gather_sources(std::span<const KgeQuestion> group, const KgeRows& rows) {
  const std::size_t n = model_.entity_length();
  sources_.resize(group.size() * n);
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::copy_n(rows.entities + group[i].source * n, n, sources_.data() + i * n);
  }
}

void KgeQuestions::map_group(std::span<const KgeQuestion> group, const KgeRows& rows,
                             float* vectors) {
  const std::size_t n = model_.entity_length();
  gather_sources(group, rows);
  const auto sources = MatrixView::dense(sources_.data(), group.size(), n);
  auto map = MatrixView::dense(rows.relations + group.front().relation * n * n, n, n);
  // h^T R for tails; R t, as a row t^T R^T, for heads.
  if (group.front().backward) map = map.transpose();
  gemm(sources, map, GemmInto::kOverwrite, vectors);
}

void KgeQuestions::add_group_gradients(std::span<const KgeQuestion> group, const KgeRows& rows,
                                       const float* vector_gradients,
                                       const KgeRowGradients& gradients) {
  const std::size_t n = model_.entity_length();
  const bool backward = group.front().backward;
  const std::size_t relation = group.front().relation * n * n;
  gather_sources(group, rows);
  source_gradients_.resize(group.size() * n);
  const auto sources = MatrixView::dense(sources_.data(), group.size(), n);
  const auto slopes = MatrixView::dense(vector_gradients, group.size(), n);
  const auto map = MatrixView::dense(rows.relations + relation, n, n);
  gemm(slopes, backward ? map : map.transpose(), GemmInto::kOverwrite, source_gradients_.data());
  const auto& left = backward ? slopes : sources;
  const auto& right = backward ? sources : slopes;
  gemm(left.transpose(), right, GemmInto::kAdd, gradients.relations + relation);
  for (std::size_t i = 0; i < group.size(); ++i) {
    add_scaled(source_gradients_.data() + i * n, 1.0F, n, gradients.entities + group[i].source * n);
  }
}

}  // namespace godwit
