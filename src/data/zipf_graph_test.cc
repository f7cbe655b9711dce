// data/zipf_graph_test.cc: the graph keeps its rules and the stated optimum is reached by a model
// that knows them, ranked by brute force.
#include "data/zipf_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace godwit {
namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

TEST(ZipfGraph, TriplesAreDistinctAndHeldOutEntitiesAreTrained) {
  const Graph graph = make_zipf_graph({.triples = 50'000, .held_out = 1'000});
  EXPECT_EQ(graph.train.size(), 50'000U);
  EXPECT_EQ(graph.test.size(), 1'000U);
  std::set<Key> all;
  std::set<std::uint32_t> trained;
  for (const Triple& t : graph.train) trained.insert({t.head, t.tail});
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      EXPECT_TRUE(all.emplace(t.head, t.relation, t.tail).second);
      EXPECT_TRUE(trained.contains(t.head) && trained.contains(t.tail));
    }
  }
}

// Scores by counting pairs of (head's block, relation, tail) would need many triples; instead the
// optimum for blocks of one entity and no noise is known: every answer is certain.
TEST(ZipfGraph, CertainAnswersHaveRankOne) {
  const ZipfGraphSpec spec{
      .entities = 300, .relations = 5, .blocks = 300, .triples = 500, .held_out = 50};
  ASSERT_TRUE(spec.validate().ok());
  const Graph graph = make_zipf_graph(spec);
  EXPECT_EQ(graph.optimal_mrr, 1);
  EXPECT_EQ(graph.optimal_hits10, 1);
}

TEST(ZipfGraph, WithoutPopularityRanksAreThoseOfChance) {
  // 10 entities a block, of which those not known yet are equally likely.
  const Graph graph = make_zipf_graph({.entities = 1000,
                                       .relations = 4,
                                       .blocks = 100,
                                       .triples = 1'000,
                                       .held_out = 500,
                                       .zipf = 0});
  EXPECT_EQ(graph.optimal_hits10, 1);
  // 40,000 possible, few known: the mean rank of ties among about 9.6 is 5.3.
  EXPECT_NEAR(graph.optimal_mrr, 1 / 5.3, 0.02);
}

TEST(ZipfGraph, NoiseMakesItHarder) {
  const ZipfGraphSpec clean{.triples = 20'000, .held_out = 500};
  ZipfGraphSpec noisy = clean;
  noisy.noise = 0.5;
  EXPECT_LT(make_zipf_graph(noisy).optimal_mrr, make_zipf_graph(clean).optimal_mrr - 0.05);
}

TEST(ZipfGraph, SenselessNumbersAreRefused) {
  EXPECT_TRUE(ZipfGraphSpec{}.validate().ok());
  EXPECT_FALSE(ZipfGraphSpec{.entities = 1}.validate().ok());
  EXPECT_FALSE(ZipfGraphSpec{.blocks = 20'000}.validate().ok());
  EXPECT_FALSE(ZipfGraphSpec{.zipf = 3}.validate().ok());
  EXPECT_FALSE(ZipfGraphSpec{.noise = 2}.validate().ok());
  EXPECT_THAT(ZipfGraphSpec{.triples = 2'000'000}.validate().error().message(),
              testing::HasSubstr("at most half"));
}

}  // namespace
}  // namespace godwit
