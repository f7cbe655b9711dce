// train/kge_questions_test.cc: vectors of questions by hand; gradients are in kge_step_test.cc.
#include "train/kge_questions.h"

#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

std::vector<float> vector_of(const KgeModel& model, const std::vector<float>& source,
                             const std::vector<float>& relation, bool backward) {
  const std::vector<KgeQuestion> questions = {{.backward = backward}};
  std::vector<float> result(model.entity_length(), 77.0F);
  KgeQuestions(model).vectors(questions, {source.data(), relation.data()}, result.data());
  return result;
}

TEST(KgeQuestions, ComplexMultipliesOrConjugates) {
  const KgeModel model{.kind = KgeKind::kComplex, .rank = 1};
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 4}, false), (std::vector<float>{-5, 10}));
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 4}, true), (std::vector<float>{11, 2}));
}

TEST(KgeQuestions, DistmultMultipliesBothWays) {
  const KgeModel model{.kind = KgeKind::kDistmult, .rank = 2};
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 4}, false), (std::vector<float>{3, 8}));
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 4}, true), (std::vector<float>{3, 8}));
}

TEST(KgeQuestions, TranseGoesForthAndBack) {
  const KgeModel model{.kind = KgeKind::kTranse, .rank = 2};
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 5}, false), (std::vector<float>{4, 7}));
  EXPECT_EQ(vector_of(model, {1, 2}, {3, 5}, true), (std::vector<float>{-2, -3}));
}

TEST(KgeQuestions, RescalMapsByTheMatrixOrItsTranspose) {
  const KgeModel model{.kind = KgeKind::kRescal, .rank = 2};
  EXPECT_EQ(vector_of(model, {1, 10}, {1, 2, 3, 4}, false), (std::vector<float>{31, 42}));
  EXPECT_EQ(vector_of(model, {1, 10}, {1, 2, 3, 4}, true), (std::vector<float>{21, 43}));
}

TEST(KgeQuestions, RescalKeepsGroupsOfRelationsApart) {
  const KgeModel model{.kind = KgeKind::kRescal, .rank = 1};
  const std::vector<float> entities = {1, 2, 3};
  const std::vector<float> relations = {10, 100};
  const std::vector<KgeQuestion> questions = {{0, 0, 0, false}, {2, 0, 0, false}, {1, 1, 0, true}};
  std::vector<float> vectors(3);
  KgeQuestions asked(model);
  asked.vectors(questions, {entities.data(), relations.data()}, vectors.data());
  EXPECT_EQ(vectors, (std::vector<float>{10, 30, 200}));
  std::vector<float> entity_gradients(3, 0.5F);
  std::vector<float> relation_gradients(2, 0.5F);
  const std::vector<float> ones(3, 1.0F);
  asked.add_gradients(questions, {entities.data(), relations.data()}, ones.data(),
                      {entity_gradients.data(), relation_gradients.data()});
  EXPECT_EQ(entity_gradients, (std::vector<float>{10.5F, 100.5F, 10.5F}));
  EXPECT_EQ(relation_gradients, (std::vector<float>{4.5F, 2.5F}));
}

}  // namespace
}  // namespace godwit
