// train/kge_model_test.cc: lengths of rows, names, order of questions.
#include "train/kge_model.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(KgeModel, RowsAreAsLongAsTheKindNeeds) {
  const KgeModel complex{.kind = KgeKind::kComplex, .rank = 6};
  EXPECT_EQ(complex.entity_length(), 12U);
  EXPECT_EQ(complex.relation_length(), 12U);
  EXPECT_EQ(complex.relation_rows(11), 22U);
  const KgeModel rescal{.kind = KgeKind::kRescal, .rank = 6, .reciprocal = false};
  EXPECT_EQ(rescal.entity_length(), 6U);
  EXPECT_EQ(rescal.relation_length(), 36U);
  EXPECT_EQ(rescal.relation_rows(11), 11U);
}

TEST(KgeModel, RanksOfNothingAndOfTooMuchAreRefused) {
  EXPECT_TRUE(KgeModel{.rank = 1}.validate().ok());
  EXPECT_EQ(KgeModel{.rank = 0}.validate().error().code(), ErrorCode::kInvalidArgument);
  const KgeModel huge{.kind = KgeKind::kRescal, .rank = 50'000};
  EXPECT_EQ(huge.validate().error().code(), ErrorCode::kInvalidArgument);
}

TEST(KgeKind, NamesAreReadBack) {
  for (const auto kind :
       {KgeKind::kComplex, KgeKind::kDistmult, KgeKind::kTranse, KgeKind::kRescal}) {
    const Result<KgeKind> read = parse_kge_kind(to_string(kind));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, kind);
  }
  EXPECT_EQ(parse_kge_kind("rotate").error().code(), ErrorCode::kInvalidArgument);
}

TEST(KgeQuestions, EachFactAsksForItsTailAndItsHead) {
  const std::vector<KgeFact> facts = {{5, 1, 6}, {7, 0, 8}};
  std::vector<KgeQuestion> questions;
  ask({.reciprocal = true}, facts, 2, &questions);
  ASSERT_EQ(questions.size(), 4U);
  EXPECT_EQ(questions[0].source, 7U);
  EXPECT_EQ(questions[0].answer, 8U);
  EXPECT_EQ(questions[1].source, 8U);
  EXPECT_EQ(questions[1].relation, 2U);  // the row behind the two relations
  EXPECT_FALSE(questions[1].backward);
  ask({.reciprocal = false}, facts, 2, &questions);
  EXPECT_EQ(questions[3].source, 6U);
  EXPECT_EQ(questions[3].relation, 1U);
  EXPECT_EQ(questions[3].answer, 5U);
  EXPECT_TRUE(questions[3].backward);
}

TEST(KgeQuestions, EqualRelationsAndDirectionsLieTogether) {
  std::vector<KgeFact> facts;
  for (std::uint32_t i = 0; i < 40; ++i) facts.push_back({i, (i * 7) % 3, i + 1});
  std::vector<KgeQuestion> questions;
  ask({.reciprocal = false}, facts, 3, &questions);
  int changes = 0;
  for (std::size_t i = 1; i < questions.size(); ++i) {
    changes += questions[i].relation != questions[i - 1].relation ||
               questions[i].backward != questions[i - 1].backward;
  }
  EXPECT_EQ(changes, 5);
}

}  // namespace
}  // namespace godwit
