// core/split.h: a batch of keys, grouped by the node each belongs to. Owned by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "godwit/ids.h"
#include "placement/partition_map.h"

namespace godwit {

// Keeps its memory between batches. Within a group the order of the batch is kept, so changes of a
// repeated key stay in order.
class KeySplit {
 public:
  struct Group {
    NodeId node;
    std::span<const std::uint32_t> positions;  // in the batch
  };

  // Groups keys by owner_of(key); groups are in the order of node ids.
  template <class OwnerOf>
  void by(std::span<const Key> keys, std::int64_t nodes, OwnerOf&& owner_of) {
    owners_.resize(keys.size());
    begins_.assign(static_cast<std::size_t>(nodes) + 1, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto owner = static_cast<std::uint32_t>(NodeId{owner_of(keys[i])}.value());
      owners_[i] = owner;
      ++begins_[owner + 1];
    }
    collect();
  }

  // The same for the keys at some positions of the batch.
  template <class OwnerOf>
  void by(std::span<const Key> keys, std::span<const std::uint32_t> some, std::int64_t nodes,
          OwnerOf&& owner_of) {
    owners_.resize(some.size());
    begins_.assign(static_cast<std::size_t>(nodes) + 1, 0);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto owner = static_cast<std::uint32_t>(NodeId{owner_of(keys[some[i]])}.value());
      owners_[i] = owner;
      ++begins_[owner + 1];
    }
    collect();
    for (std::uint32_t& position : positions_) position = some[position];
  }

  const std::vector<Group>& groups() const { return groups_; }
  // The positions that belong to `node`.
  std::span<const std::uint32_t> of(NodeId node) const {
    for (const Group& group : groups_) {
      if (group.node == node) return group.positions;
    }
    return {};
  }
  // True iff there are keys and all belong to `node`.
  bool is_all(NodeId node) const { return groups_.size() == 1 && groups_[0].node == node; }

 private:
  void collect();

  std::vector<std::uint32_t> owners_;
  std::vector<std::uint32_t> begins_;  // of each node's group in positions_
  std::vector<std::uint32_t> positions_;
  std::vector<Group> groups_;
};

}  // namespace godwit
