// placement/partition_map.cc: equal shares, the first nodes taking one partition more.
#include "placement/partition_map.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {

PartitionMap::PartitionMap(std::int64_t nodes, std::int64_t servers)
    : nodes_(nodes), servers_(servers), homes_{} {
  GODWIT_CHECK_GE(servers, 1);
  GODWIT_CHECK_LE(servers, nodes);
  GODWIT_CHECK_LE(nodes, static_cast<std::int64_t>(kPartitions));
  for (std::uint64_t i = 0; i < kPartitions; ++i) {
    homes_[i] = static_cast<std::int32_t>(i * static_cast<std::uint64_t>(servers) / kPartitions);
  }
}

std::uint64_t PartitionMap::partitions_of(NodeId node) const {
  return static_cast<std::uint64_t>(std::count(homes_.begin(), homes_.end(), node.value()));
}

}  // namespace godwit
