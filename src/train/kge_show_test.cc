// train/kge_show_test.cc: neighbours, answers and the popularity of answers on a small graph.
#include "train/kge_show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

KnownFacts known_of(const std::vector<KgeFact>& facts) {
  const std::vector<std::span<const KgeFact>> splits{facts};
  return KnownFacts(splits);
}

TEST(KgeShow, PopularityRanksByCountsOfTheRelation) {
  Graph graph;
  graph.entities = {"a", "b", "c", "d"};
  graph.relations = {"r"};
  // As a tail, b is there twice, c once; as a head, a three times.
  graph.train = {{0, 0, 1}, {2, 0, 1}, {0, 0, 2}};
  graph.test = {{3, 0, 1}};
  std::vector<KgeFact> all;
  for (const auto& part : {graph.train, graph.test}) {
    for (const Triple& fact : part) all.push_back({fact.head, fact.relation, fact.tail});
  }
  const KnownFacts known = known_of(all);
  // Tail b: the most popular, rank 1. Head d: popularity 0; heads of b that are known (a, c) do not
  // count, so d shares the places with b alone: rank 1.5.
  EXPECT_NEAR(popularity_mrr(graph, graph.test, known), (1 + 1 / 1.5) / 2, 1e-9);
}

TEST(KgeShow, TheNearestHasTheSmallestAngle) {
  const std::vector<float> rows{1, 0, 0.9F, 0.1F, 0, 1, 5, 0, 0, 0};
  const auto near = nearest_entities(rows, 2, 0, 3);
  ASSERT_EQ(near.size(), 3U);
  EXPECT_EQ(near[0].entity, 3U);
  EXPECT_FLOAT_EQ(near[0].cosine, 1);
  EXPECT_EQ(near[1].entity, 1U);
  EXPECT_EQ(nearest_entities(rows, 2, 0, 100).size(), 4U);
}

TEST(KgeShow, BestAnswersLeaveOutWhatIsKnown) {
  const KgeModel model{.kind = KgeKind::kDistmult, .rank = 2, .reciprocal = false};
  KgeMatrices rows;
  rows.entities = {1, 1, 2, 2, 3, 3, -1, -1};
  rows.relations = {1, 1};
  const KnownFacts known = known_of({{0, 0, 2}});
  EXPECT_THAT(best_tails(model, rows, known, {0, 0, 2}, 2, 2), testing::ElementsAre(2, 1));
  EXPECT_THAT(best_tails(model, rows, known, {0, 0, 1}, 2, 1), testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace godwit
