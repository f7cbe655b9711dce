// train/kge_batches_test.cc: each row is there once, and facts keep their meaning.
#include "train/kge_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace godwit {
namespace {

const std::vector<Triple> kGraph{{0, 0, 1}, {1, 2, 2}, {5, 0, 0}, {7, 1, 7}};
const std::vector<std::uint64_t> kAll{0, 1, 2, 3};

void expect_whole(const KgeFacts& batch, std::span<const std::uint64_t> facts) {
  EXPECT_EQ(std::set<Key>(batch.entities.begin(), batch.entities.end()).size(),
            batch.entities.size())
      << "each row once";
  ASSERT_EQ(batch.facts.size(), facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Triple& fact = kGraph[facts[i]];
    EXPECT_EQ(batch.entities[batch.facts[i].head], fact.head);
    EXPECT_EQ(batch.entities[batch.facts[i].tail], fact.tail);
    EXPECT_EQ(batch.relations[batch.facts[i].relation], fact.relation);
    EXPECT_LT(std::max(batch.facts[i].head, batch.facts[i].tail), batch.own_entities);
  }
}

TEST(KgeBatches, RowsAreThereOnceWithReciprocalsBehind) {
  KgeBatches batches({}, 100, 3, 10);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const KgeFacts batch = batches.make(kGraph, kAll, seed);
    expect_whole(batch, kAll);
    EXPECT_EQ(batch.own_entities, 5U);
    EXPECT_EQ(batch.entities.size(), 15U);
    EXPECT_EQ(batch.drawn_weight, 95.0F / 10.0F);
    EXPECT_EQ(batch.relation_count, 3U);
    ASSERT_EQ(batch.relations.size(), 6U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(batch.relations[3 + i], batch.relations[i] + 3);
    }
  }
  EXPECT_NE(batches.make(kGraph, kAll, 1).entities, batches.make(kGraph, kAll, 2).entities);
  EXPECT_EQ(batches.make(kGraph, kAll, 1).entities, batches.make(kGraph, kAll, 1).entities);
}

TEST(KgeBatches, WithMoreNegativesThanEntitiesAllAreThere) {
  KgeBatches batches({.reciprocal = false}, 8, 3, 1000);
  const KgeFacts batch = batches.make(kGraph, kAll, 1);
  expect_whole(batch, kAll);
  EXPECT_EQ(batch.entities.size(), 8U);
  EXPECT_EQ(batch.drawn_weight, 1.0F);
  EXPECT_EQ(batch.relations.size(), 3U);
}

TEST(KgeBatches, ABatchWithoutFactsTouchesNothing) {
  KgeBatches batches({}, 8, 3, 4);
  const KgeFacts batch = batches.make(kGraph, {}, 1);
  EXPECT_TRUE(batch.entities.empty());
  EXPECT_TRUE(batch.relations.empty());
}

}  // namespace
}  // namespace godwit
