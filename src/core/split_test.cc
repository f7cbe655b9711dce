// core/split_test.cc: every key in one group, in order.
#include "core/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(KeySplit, GroupsKeysByOwnerAndKeepsTheirOrder) {
  KeySplit split;
  const std::vector<Key> keys{12, 1, 22, 11, 2, 12};
  split.by(keys, 4, [](Key key) { return NodeId{static_cast<std::int64_t>(key % 10)}; });
  ASSERT_EQ(split.groups().size(), 2u);
  EXPECT_EQ(split.groups()[0].node, NodeId{1});
  EXPECT_THAT(split.groups()[0].positions, testing::ElementsAre(1, 3));
  EXPECT_EQ(split.groups()[1].node, NodeId{2});
  EXPECT_THAT(split.groups()[1].positions, testing::ElementsAre(0, 2, 4, 5));
  EXPECT_FALSE(split.is_all(NodeId{1}));
}

TEST(KeySplit, CanBeUsedAgain) {
  KeySplit split;
  const auto to_three = [](Key) { return NodeId{3}; };
  split.by(std::vector<Key>{1, 2, 3}, 4, to_three);
  EXPECT_TRUE(split.is_all(NodeId{3}));
  split.by(std::vector<Key>{7}, 4, to_three);
  EXPECT_THAT(split.groups()[0].positions, testing::ElementsAre(0));
  split.by(std::vector<Key>{}, 4, to_three);
  EXPECT_TRUE(split.groups().empty());
  EXPECT_FALSE(split.is_all(NodeId{3}));
}

}  // namespace
}  // namespace godwit
