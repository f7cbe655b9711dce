// core/barriers.h: points that all nodes reach before any goes on. Owned by the state machine.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/links.h"
#include "core/waits.h"
#include "wire/control_messages.h"

namespace godwit {

class Barriers {
 public:
  Barriers(NodeId self, std::int64_t nodes, Links& links, Waits& waits);

  // This node is at its next barrier; the ticket is done when all nodes are at theirs.
  void enter(TicketId ticket);

  // Nodes that have not come to the barrier at which this node is. REQUIRES: it is the coordinator.
  std::vector<NodeId> missing() const;

  // kCorruption if `from` cannot have meant it.
  Result<> on_barrier(NodeId from, const Barrier& barrier);
  Result<> on_released(NodeId from, const Released& released);

 private:
  const NodeId self_;
  const std::int64_t nodes_;
  Links& links_;
  Waits& waits_;
  std::uint64_t entered_ = 0;                  // by this node
  std::map<std::uint64_t, TicketId> waiting_;  // by number
  std::vector<std::uint64_t> reached_;         // by each node; coordinator only
};

}  // namespace godwit
