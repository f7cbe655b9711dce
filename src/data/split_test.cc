// data/split_test.cc: shares, order, and what must stay in train.
#include "data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace godwit {
namespace {

TEST(Split, PartsHaveTheirSharesAndKeepTheOrder) {
  std::vector<int> all(100'000);
  std::iota(all.begin(), all.end(), 0);
  const SplitSpec spec{.valid = 0.05, .test = 0.2, .seed = 3};
  const Parts<int> parts = split(all, spec);
  EXPECT_NEAR(static_cast<double>(parts.valid.size()), 5'000, 300);
  EXPECT_NEAR(static_cast<double>(parts.test.size()), 20'000, 600);
  EXPECT_EQ(parts.train.size() + parts.valid.size() + parts.test.size(), all.size());
  EXPECT_TRUE(std::ranges::is_sorted(parts.train));
  EXPECT_EQ(split(all, spec).test, parts.test);
  SplitSpec other = spec;
  other.seed = 4;
  EXPECT_NE(split(all, other).test, parts.test);
}

TEST(Split, SharesThatLeaveNothingAreRefused) {
  EXPECT_FALSE((SplitSpec{.valid = 0.5, .test = 0.5}).validate().ok());
  EXPECT_FALSE((SplitSpec{.valid = -0.1}).validate().ok());
  Ratings one;
  one.train = {{}};
  EXPECT_FALSE(split_ratings(one, {}).ok());
  EXPECT_EQ(one.train.size(), 1U);
}

TEST(Split, PartsThatAreThereStay) {
  Ratings ratings;
  ratings.train.resize(1000);
  ratings.test.resize(7);
  ASSERT_TRUE(split_ratings(ratings, {.valid = 0.1, .test = 0.5}).ok());
  EXPECT_EQ(ratings.test.size(), 7U);
  EXPECT_NEAR(static_cast<double>(ratings.valid.size()), 100, 40);
  EXPECT_EQ(ratings.train.size() + ratings.valid.size(), 1000U);
}

TEST(Split, SparseRowsStayWhole) {
  SparseSet set;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    for (std::uint64_t j = 0; j < i % 4; ++j) {
      set.train.features.push_back(i);
      set.train.values.push_back(static_cast<float>(j));
    }
    set.train.end_row(static_cast<float>(i));
  }
  ASSERT_TRUE(split_sparse(set, {.valid = 0.3, .test = 0.3}).ok());
  std::size_t rows = 0;
  for (const SparseRows* part : {&set.train, &set.valid, &set.test}) {
    EXPECT_GT(part->size(), 200U);
    rows += part->size();
    for (std::size_t i = 0; i < part->size(); ++i) {
      const auto label = static_cast<std::uint64_t>(part->labels[i]);
      ASSERT_EQ(part->begins[i + 1] - part->begins[i], label % 4);
      for (auto j = part->begins[i]; j < part->begins[i + 1]; ++j) {
        ASSERT_EQ(part->features[j], label);
      }
    }
  }
  EXPECT_EQ(rows, 1000U);
}

TEST(Split, EntitiesAndRelationsOfHeldOutTriplesAreInTrainAndDoublesNotHeldOut) {
  Prng prng(5);
  Graph graph;
  graph.entities.resize(300);
  graph.relations.resize(6);
  for (int i = 0; i < 800; ++i) {
    graph.train.push_back({static_cast<std::uint32_t>(prng.below(300)),
                           static_cast<std::uint32_t>(prng.below(5)),
                           static_cast<std::uint32_t>(prng.below(300))});
  }
  graph.train.push_back({0, 5, 1});  // the only one of its relation
  for (int i = 0; i < 100; ++i) graph.train.push_back(graph.train[0]);
  const std::size_t total = graph.train.size();
  ASSERT_TRUE(split_graph(graph, {.valid = 0.1, .test = 0.2}).ok());
  EXPECT_EQ(graph.test.size(), 180U);
  EXPECT_EQ(graph.valid.size(), 90U);
  EXPECT_EQ(graph.train.size(), total - 270);
  std::vector<bool> entities(300);
  std::vector<bool> relations(6);
  for (const Triple& t : graph.train) {
    entities[t.head] = entities[t.tail] = relations[t.relation] = true;
  }
  for (const auto* part : {&graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      EXPECT_TRUE(entities[t.head] && entities[t.tail] && relations[t.relation]);
      EXPECT_THAT(graph.train, testing::Not(testing::Contains(t)));
    }
  }
}

}  // namespace
}  // namespace godwit
