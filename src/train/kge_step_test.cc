// train/kge_step_test.cc: gradients against differences, losses against sums written out.
#include "train/kge_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <tuple>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

constexpr std::size_t kRelations = 3;
constexpr std::size_t kOwn = 6;
constexpr std::size_t kEntities = 11;
constexpr float kDrawnWeight = 2.5F;

// What the step should compute, in doubles and one candidate at a time.
class Oracle {
 public:
  Oracle(const KgeModel& model, const KgeObjective& objective)
      : model_(model), objective_(objective) {}

  double score(const double* h, const double* r, const double* t) const {
    const std::size_t n = model_.rank;
    double sum = 0;
    switch (model_.kind) {
      case KgeKind::kComplex:
        for (std::size_t i = 0; i < n; ++i) {
          const std::complex<double> a(h[i], h[n + i]);
          const std::complex<double> b(r[i], r[n + i]);
          const std::complex<double> c(t[i], t[n + i]);
          sum += (a * b * std::conj(c)).real();
        }
        return sum;
      case KgeKind::kDistmult:
        for (std::size_t i = 0; i < n; ++i) sum += h[i] * r[i] * t[i];
        return sum;
      case KgeKind::kTranse:
        for (std::size_t i = 0; i < n; ++i) {
          const double difference = h[i] + r[i] - t[i];
          sum += model_.norm == KgeNorm::kL1 ? std::fabs(difference) : difference * difference;
        }
        return model_.norm == KgeNorm::kL1 ? -sum : -std::sqrt(sum);
      case KgeKind::kRescal:
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) sum += h[i] * r[i * n + j] * t[j];
        }
        return sum;
    }
    return 0;
  }

  double loss(const std::vector<double>& entities, const std::vector<double>& relations,
              const std::vector<KgeFact>& facts) const {
    const std::size_t n = model_.entity_length();
    const std::size_t m = model_.relation_length();
    double sum = 0;
    for (const KgeFact& fact : facts) {
      const std::size_t inverse = model_.reciprocal ? fact.relation + kRelations : fact.relation;
      std::vector<double> for_tail(kEntities);
      std::vector<double> for_head(kEntities);
      for (std::size_t e = 0; e < kEntities; ++e) {
        const double* row = &entities[e * n];
        for_tail[e] = score(&entities[fact.head * n], &relations[fact.relation * m], row);
        for_head[e] = model_.reciprocal
                          ? score(&entities[fact.tail * n], &relations[inverse * m], row)
                          : score(row, &relations[inverse * m], &entities[fact.tail * n]);
      }
      sum += of_scores(for_tail, fact.tail) + of_scores(for_head, fact.head);
      sum += objective_.entity_penalty * norm(&entities[fact.head * n], n);
      sum += objective_.entity_penalty * norm(&entities[fact.tail * n], n);
      sum += objective_.relation_penalty * norm(&relations[fact.relation * m], m);
      if (model_.reciprocal) sum += objective_.relation_penalty * norm(&relations[inverse * m], m);
    }
    return sum;
  }

 private:
  double of_scores(const std::vector<double>& scores, std::size_t answer) const {
    double sum = 0;
    double weights = 0;
    for (std::size_t e = 0; e < kEntities; ++e) {
      const double weight = e < kOwn ? 1 : double{kDrawnWeight};
      if (objective_.loss == KgeLoss::kSoftmax) {
        sum += weight * std::exp(scores[e]);
      } else if (e != answer) {
        sum += weight * std::log1p(std::exp(scores[e] + objective_.margin));
        weights += weight;
      }
    }
    if (objective_.loss == KgeLoss::kSoftmax) return std::log(sum) - scores[answer];
    const double of_answer = std::log1p(std::exp(-scores[answer] - objective_.margin));
    return of_answer + objective_.negatives * sum / weights;
  }

  double norm(const double* row, std::size_t length) const {
    double sum = 0;
    const bool complex = model_.kind == KgeKind::kComplex;
    for (std::size_t i = 0; i < (complex ? length / 2 : length); ++i) {
      const double size = complex ? std::hypot(row[i], row[length / 2 + i]) : std::fabs(row[i]);
      sum += objective_.penalty == KgePenalty::kCubic ? size * size * size : size * size;
    }
    return sum;
  }

  KgeModel model_;
  KgeObjective objective_;
};

struct Case {
  KgeModel model;
  KgeObjective objective;
};

class KgeGradients : public testing::TestWithParam<std::tuple<int, KgeLoss, KgePenalty, bool>> {
 protected:
  // The kinds, TransE with both norms. 19 is no multiple of a vector's lanes.
  static Case chosen() {
    const auto& [kind, loss, penalty, reciprocal] = GetParam();
    Case result;
    result.model.kind = static_cast<KgeKind>(std::min(kind, 3));
    if (kind == 4) result.model.kind = KgeKind::kTranse;
    result.model.norm = kind == 4 ? KgeNorm::kL1 : KgeNorm::kL2;
    result.model.rank = result.model.kind == KgeKind::kRescal ? 7 : 19;
    result.model.reciprocal = reciprocal;
    result.objective = {.loss = loss,
                        .margin = loss == KgeLoss::kLogistic ? 1.5F : 0.0F,
                        .negatives = 3,
                        .penalty = penalty,
                        .entity_penalty = 0.3F,
                        .relation_penalty = 0.2F};
    return result;
  }
};

std::vector<float> random_rows(std::size_t floats, Prng& prng) {
  std::vector<float> rows(floats);
  for (float& x : rows) x = static_cast<float>(0.5 * prng.normal());
  return rows;
}

// Entity 0 is head and tail, entity 2 answers twice, fact 3 is a loop.
const std::vector<KgeFact> kFacts = {{0, 0, 1}, {3, 2, 0}, {5, 0, 2}, {4, 1, 4}, {1, 0, 2}};

TEST_P(KgeGradients, AreTheDifferencesOfTheWrittenOutLoss) {
  const auto [model, objective] = chosen();
  const Oracle oracle(model, objective);
  Prng prng(7);
  const auto entities = random_rows(kEntities * model.entity_length(), prng);
  const auto relations =
      random_rows(model.relation_rows(kRelations) * model.relation_length(), prng);
  std::vector<float> entity_gradients(entities.size(), 9.0F);
  std::vector<float> relation_gradients(relations.size(), 9.0F);
  KgeStep step(model, objective);
  const KgeBatchLoss got = step.run({.entities = entities,
                                     .relations = relations,
                                     .relation_count = kRelations,
                                     .facts = kFacts,
                                     .own_entities = kOwn,
                                     .drawn_weight = kDrawnWeight},
                                    entity_gradients, relation_gradients);
  std::vector<double> e(entities.begin(), entities.end());
  std::vector<double> r(relations.begin(), relations.end());
  const double expected = oracle.loss(e, r, kFacts);
  EXPECT_NEAR(got.loss + got.penalty, expected, 1e-5 * expected);

  const auto expect_slopes = [&](std::vector<double>& numbers, const std::vector<float>& slopes) {
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double old = numbers[i];
      numbers[i] = old + kStep;
      const double above = oracle.loss(e, r, kFacts);
      numbers[i] = old - kStep;
      const double below = oracle.loss(e, r, kFacts);
      numbers[i] = old;
      ASSERT_NEAR(slopes[i], (above - below) / (2 * kStep), 2e-4) << "number " << i;
    }
  };
  expect_slopes(e, entity_gradients);
  expect_slopes(r, relation_gradients);
}

std::string name_of(const testing::TestParamInfo<KgeGradients::ParamType>& info) {
  constexpr const char* kNames[] = {"Complex", "Distmult", "TranseL2", "Rescal", "TranseL1"};
  const auto& [kind, loss, penalty, reciprocal] = info.param;
  return std::string(kNames[kind]) + (loss == KgeLoss::kSoftmax ? "Softmax" : "Logistic") +
         (penalty == KgePenalty::kCubic ? "Cubic" : "Square") +
         (reciprocal ? "Reciprocal" : "OneWay");
}

INSTANTIATE_TEST_SUITE_P(AllKinds, KgeGradients,
                         testing::Combine(testing::Range(0, 5),
                                          testing::Values(KgeLoss::kSoftmax, KgeLoss::kLogistic),
                                          testing::Values(KgePenalty::kCubic, KgePenalty::kSquare),
                                          testing::Bool()),
                         name_of);

TEST(KgeStep, ManyChunksGiveWhatOneFactAtATimeGives) {
  for (const KgeKind kind :
       {KgeKind::kComplex, KgeKind::kDistmult, KgeKind::kTranse, KgeKind::kRescal}) {
    const KgeModel model{.kind = kind, .rank = 4};
    const std::size_t entities = 5000;  // 256 questions a chunk
    Prng prng(3);
    const auto rows = random_rows(entities * model.entity_length(), prng);
    const auto relations = random_rows(4 * model.relation_length(), prng);
    std::vector<KgeFact> facts(280);
    for (KgeFact& fact : facts) {
      fact = {static_cast<std::uint32_t>(prng.below(40)), static_cast<std::uint32_t>(prng.below(2)),
              static_cast<std::uint32_t>(prng.below(40))};
    }
    KgeBatch batch{.entities = rows,
                   .relations = relations,
                   .relation_count = 2,
                   .facts = facts,
                   .own_entities = 40,
                   .drawn_weight = 3};
    KgeStep step(model, {});
    std::vector<float> whole(rows.size());
    std::vector<float> whole_relations(relations.size());
    const double loss = step.run(batch, whole, whole_relations).loss;

    std::vector<double> sum(rows.size(), 0.0);
    double loss_sum = 0;
    std::vector<float> part(rows.size());
    std::vector<float> part_relations(relations.size());
    for (const KgeFact& fact : facts) {
      batch.facts = {&fact, 1};
      loss_sum += step.run(batch, part, part_relations).loss;
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
    }
    EXPECT_NEAR(loss, loss_sum, 1e-5 * loss_sum);
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(whole[i], sum[i], 1e-3) << i;
  }
}

TEST(KgeStep, GivesTheSameBitsAgainAfterAnotherBatch) {
  const KgeModel model{.kind = KgeKind::kTranse, .rank = 8};
  Prng prng(5);
  const auto rows = random_rows(30 * 8, prng);
  const auto relations = random_rows(2 * 8, prng);
  const std::vector<KgeFact> facts = {{0, 0, 1}, {2, 0, 3}};
  const KgeBatch batch{.entities = rows,
                       .relations = relations,
                       .relation_count = 1,
                       .facts = facts,
                       .own_entities = 4};
  KgeBatch smaller = batch;
  smaller.entities = smaller.entities.first(10 * 8);
  KgeStep step(model, {});
  std::vector<float> first(rows.size());
  std::vector<float> other(10 * 8);
  std::vector<float> again(rows.size());
  std::vector<float> of_relations(relations.size());
  const double loss = step.run(batch, first, of_relations).loss;
  step.run(smaller, other, of_relations);
  EXPECT_EQ(step.run(batch, again, of_relations).loss, loss);
  EXPECT_EQ(first, again);
}

TEST(KgeStep, ABatchWithoutFactsHasNoGradient) {
  const std::vector<float> rows(4 * 8, 1.0F);
  const std::vector<float> relations(2 * 8, 1.0F);
  std::vector<float> entity_gradients(rows.size(), 5.0F);
  std::vector<float> relation_gradients(relations.size(), 5.0F);
  KgeStep step({.kind = KgeKind::kDistmult, .rank = 8}, {});
  const KgeBatchLoss loss =
      step.run({.entities = rows, .relations = relations, .relation_count = 1, .facts = {}},
               entity_gradients, relation_gradients);
  EXPECT_EQ(loss.loss, 0);
  EXPECT_EQ(entity_gradients, std::vector<float>(rows.size(), 0.0F));
  EXPECT_EQ(relation_gradients, std::vector<float>(relations.size(), 0.0F));
}

TEST(KgeObjective, NegativeAndEndlessWeightsAreRefused) {
  EXPECT_TRUE(KgeObjective{}.validate().ok());
  EXPECT_EQ(KgeObjective{.entity_penalty = -1}.validate().error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(KgeObjective{.margin = NAN}.validate().error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(KgeObjective{.negatives = INFINITY}.validate().error().code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace godwit
