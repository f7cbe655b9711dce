// placement/partition_map_test.cc: equal shares, spread keys, every node somebody's home.
#include "placement/partition_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace godwit {
namespace {

TEST(PartitionMap, NodesHaveEqualSharesOfPartitions) {
  for (const std::int64_t nodes : {1, 2, 3, 7, 64, 1000, 1024}) {
    const PartitionMap map(nodes);
    std::uint64_t sum = 0;
    for (std::int64_t node = 0; node < nodes; ++node) {
      const std::uint64_t share = map.partitions_of(NodeId{node});
      EXPECT_GE(share, kPartitions / static_cast<std::uint64_t>(nodes));
      EXPECT_LE(share, kPartitions / static_cast<std::uint64_t>(nodes) + 1);
      sum += share;
    }
    EXPECT_EQ(sum, kPartitions);
  }
}

TEST(PartitionMap, NeighbouringKeysAreSpread) {
  const PartitionMap map(4);
  std::vector<int> counts(4);
  for (Key key = 0; key < 40'000; ++key) {
    ++counts.at(static_cast<std::size_t>(map.home(TableId{3}, key).value()));
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

TEST(PartitionMap, TablesAreSpreadIndependently) {
  int same = 0;
  for (Key key = 0; key < 10'000; ++key) {
    same +=
        PartitionMap::partition_of(TableId{0}, key) == PartitionMap::partition_of(TableId{1}, key);
  }
  EXPECT_LT(same, 40);
}

TEST(PartitionMap, EveryPartitionIsReached) {
  std::vector<bool> seen(kPartitions);
  for (Key key = 0; key < 20'000; ++key)
    seen.at(PartitionMap::partition_of(TableId{0}, key)) = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(kPartitions));
}

}  // namespace
}  // namespace godwit
