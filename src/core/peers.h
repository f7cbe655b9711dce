// core/peers.h: what all concerns of the state machine say about the other nodes.
#pragma once

#include <cstdint>

#include "godwit/ids.h"

namespace godwit {

// Keeps membership, gives out table ids, counts at barriers.
inline constexpr NodeId kCoordinator{0};

// The version of membership and partition map that messages carry. Neither changes yet.
inline constexpr std::uint64_t kFirstTerm = 1;

// fn(peer) for every node of the job but `self`.
template <class Fn>
void for_each_peer(NodeId self, std::int64_t nodes, Fn&& fn) {
  for (std::int64_t node = 0; node < nodes; ++node) {
    if (NodeId{node} != self) fn(NodeId{node});
  }
}

}  // namespace godwit
