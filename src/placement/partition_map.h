// placement/partition_map.h: which node is the home of a key. Immutable; thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "base/prng.h"
#include "godwit/ids.h"

namespace godwit {

inline constexpr std::uint64_t kPartitions = 1024;

// Keys are spread over partitions by mixed bits of (table, key), and partitions in equal shares
// over the servers: the first nodes, or all.
class PartitionMap {
 public:
  // REQUIRES: 1 <= servers <= nodes <= kPartitions.
  PartitionMap(std::int64_t nodes, std::int64_t servers);
  explicit PartitionMap(std::int64_t nodes) : PartitionMap(nodes, nodes) {}

  static std::uint64_t partition_of(TableId table, Key key) {
    return mix64(static_cast<std::uint64_t>(table.value()), key) /
           (~std::uint64_t{0} / kPartitions + 1);
  }

  NodeId home(TableId table, Key key) const { return NodeId{homes_[partition_of(table, key)]}; }
  NodeId home_of_partition(std::uint64_t partition) const { return NodeId{homes_[partition]}; }

  std::int64_t nodes() const { return nodes_; }
  std::int64_t servers() const { return servers_; }
  // Partitions whose home is `node`.
  std::uint64_t partitions_of(NodeId node) const;

 private:
  std::int64_t nodes_;
  std::int64_t servers_;
  std::array<std::int32_t, kPartitions> homes_;
};

}  // namespace godwit
