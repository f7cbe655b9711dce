// train/kge_ranking_test.cc: ranks against sorting by hand.
#include "train/kge_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KnownFacts, AnswersComeFromAllSplitsOnceAndInOrder) {
  const std::vector<KgeFact> train = {{1, 0, 9}, {1, 0, 3}, {2, 0, 3}, {1, 1, 4}};
  const std::vector<KgeFact> test = {{1, 0, 5}, {1, 0, 3}};
  const std::array<std::span<const KgeFact>, 2> splits{train, test};
  const KnownFacts known(splits);
  EXPECT_THAT(known.tails(1, 0), ElementsAre(3U, 5U, 9U));
  EXPECT_THAT(known.tails(1, 1), ElementsAre(4U));
  EXPECT_THAT(known.heads(0, 3), ElementsAre(1U, 2U));
  EXPECT_THAT(known.tails(0, 1), IsEmpty());
  EXPECT_THAT(known.heads(1, 9), IsEmpty());
}

TEST(KnownFacts, WithoutFactsNothingIsKnown) {
  EXPECT_THAT(KnownFacts({}).tails(0, 0), IsEmpty());
}

TEST(FilteredRank, HigherScoresCountAndKnownOnesDoNot) {
  const std::vector<float> scores = {5, 4, 3, 2, 1};
  const std::vector<std::uint32_t> nothing;
  const std::vector<std::uint32_t> first_and_answer = {0, 3};
  EXPECT_EQ(filtered_rank(scores, 0, nothing), 1);
  EXPECT_EQ(filtered_rank(scores, 3, nothing), 4);
  EXPECT_EQ(filtered_rank(scores, 3, first_and_answer), 3);
}

TEST(FilteredRank, TiesShareTheMeanOfTheirRanks) {
  const std::vector<float> scores(5, 0.5F);
  const std::vector<std::uint32_t> known = {1, 2};
  EXPECT_EQ(filtered_rank(scores, 1, {}), 3);
  EXPECT_EQ(filtered_rank(scores, 1, known), 2.5);
}

TEST(FilteredRank, AnAnswerThatIsNotANumberComesLast) {
  const std::vector<float> scores = {1, std::numeric_limits<float>::quiet_NaN(), 0, 3};
  const std::vector<std::uint32_t> known = {0, 1};
  EXPECT_EQ(filtered_rank(scores, 1, {}), 4);
  EXPECT_EQ(filtered_rank(scores, 1, known), 3);
}

TEST(FilteredRank, IsWhatCountingOneByOneGives) {
  Prng prng(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> scores(1 + prng.below(100));
    for (float& score : scores) score = static_cast<float>(prng.below(8));  // many ties
    const auto answer = static_cast<std::uint32_t>(prng.below(scores.size()));
    std::set<std::uint32_t> known;
    for (std::uint64_t i = prng.below(20); i > 0; --i) {
      known.insert(static_cast<std::uint32_t>(prng.below(scores.size())));
    }
    double expected = 1;
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
      if (i == answer || known.contains(i)) continue;
      if (scores[i] > scores[answer]) expected += 1;
      if (scores[i] == scores[answer]) expected += 0.5;
    }
    const std::vector<std::uint32_t> ordered(known.begin(), known.end());
    ASSERT_EQ(filtered_rank(scores, answer, ordered), expected);
  }
}

TEST(RankTally, MeansAndHitsAreThoseOfTheRanks) {
  RankTally tally;
  for (const double rank : {1.0, 1.5, 3.0, 10.0, 10.5}) tally.add(rank);
  RankTally other;
  other.add(2.0);
  tally.add(other);
  EXPECT_EQ(tally.count, 6U);
  EXPECT_NEAR(tally.mrr(), (1 + 1 / 1.5 + 1 / 3.0 + 0.1 + 1 / 10.5 + 0.5) / 6, 1e-12);
  EXPECT_NEAR(tally.mean_rank(), 28.0 / 6, 1e-12);
  EXPECT_NEAR(tally.hits_at_1(), 1.0 / 6, 1e-12);
  EXPECT_NEAR(tally.hits_at_3(), 4.0 / 6, 1e-12);
  EXPECT_NEAR(tally.hits_at_10(), 5.0 / 6, 1e-12);
  EXPECT_EQ(RankTally{}.mrr(), 0);
}

// One candidate at a time, with the definition of each model.
double plain_score(const KgeModel& model, const float* h, const float* r, const float* t) {
  const std::size_t n = model.rank;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = h[i] + r[i] - t[i];
    switch (model.kind) {
      case KgeKind::kComplex:
        sum += h[i] * r[i] * t[i] + h[n + i] * r[i] * t[n + i] + h[i] * r[n + i] * t[n + i] -
               h[n + i] * r[n + i] * t[i];
        break;
      case KgeKind::kDistmult:
        sum += h[i] * r[i] * t[i];
        break;
      case KgeKind::kTranse:
        sum -= model.norm == KgeNorm::kL1 ? std::fabs(difference) : difference * difference;
        break;
      case KgeKind::kRescal:
        for (std::size_t j = 0; j < n; ++j) sum += h[i] * r[i * n + j] * t[j];
        break;
    }
  }
  return sum;
}

class KgeRankings : public testing::TestWithParam<std::tuple<KgeKind, KgeNorm, bool>> {};

// Rows are small whole numbers: scores are exact, and there are ties.
TEST_P(KgeRankings, AreThoseOfScoringOneCandidateAtATime) {
  const auto& [kind, norm, reciprocal] = GetParam();
  const KgeModel model{.kind = kind, .rank = 5, .reciprocal = reciprocal, .norm = norm};
  constexpr std::size_t kEntities = 60;
  constexpr std::size_t kRelations = 3;
  const std::size_t n = model.entity_length();
  const std::size_t m = model.relation_length();
  Prng prng(2);
  const auto draw = [&](std::size_t floats) {
    std::vector<float> rows(floats);
    for (float& x : rows) x = static_cast<float>(prng.below(3)) - 1;
    return rows;
  };
  const auto entities = draw(kEntities * n);
  const auto relations = draw(model.relation_rows(kRelations) * m);
  std::vector<KgeFact> facts(80);
  for (KgeFact& fact : facts) {
    fact = {static_cast<std::uint32_t>(prng.below(kEntities)),
            static_cast<std::uint32_t>(prng.below(kRelations)),
            static_cast<std::uint32_t>(prng.below(kEntities))};
  }
  const std::array<std::span<const KgeFact>, 1> splits{facts};
  const KnownFacts known(splits);

  KgeRankTally expected;
  for (const KgeFact& fact : facts) {
    std::vector<float> for_tail(kEntities);
    std::vector<float> for_head(kEntities);
    const float* r = &relations[fact.relation * m];
    for (std::size_t e = 0; e < kEntities; ++e) {
      const float* row = &entities[e * n];
      const float* tail = &entities[fact.tail * n];
      for_tail[e] = static_cast<float>(plain_score(model, &entities[fact.head * n], r, row));
      for_head[e] =
          static_cast<float>(reciprocal ? plain_score(model, tail, r + kRelations * m, row)
                                        : plain_score(model, row, r, tail));
    }
    expected.tails.add(filtered_rank(for_tail, fact.tail, known.tails(fact.head, fact.relation)));
    expected.heads.add(filtered_rank(for_head, fact.head, known.heads(fact.relation, fact.tail)));
  }
  KgeRanking ranking(model, kEntities, kRelations, known);
  const KgeRankTally got = ranking.rank({entities.data(), relations.data()}, facts);
  EXPECT_EQ(got.all().count, 2 * facts.size());
  EXPECT_EQ(got.tails.rank_sum, expected.tails.rank_sum);
  EXPECT_EQ(got.heads.rank_sum, expected.heads.rank_sum);
  EXPECT_NEAR(got.all().mrr(), expected.all().mrr(), 1e-12);
  EXPECT_EQ(got.heads.hits10, expected.heads.hits10);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, KgeRankings,
                         testing::Combine(testing::Values(KgeKind::kComplex, KgeKind::kDistmult,
                                                          KgeKind::kTranse, KgeKind::kRescal),
                                          testing::Values(KgeNorm::kL1, KgeNorm::kL2),
                                          testing::Bool()));

}  // namespace
}  // namespace godwit
