// core/barriers.h: points that all nodes reach before any goes on. Owned by the state machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/links.h"
#include "core/waits.h"
#include "wire/control_messages.h"

namespace godwit {

class Barriers {
 public:
  Barriers(NodeId self, std::int64_t nodes, Links& links, Waits& waits);

  // This node is at its next barrier; the ticket is done when all nodes are at theirs.
  void enter(TicketId ticket);

  Result<> on_barrier(const Barrier& barrier);
  Result<> on_released(const Released& released);

 private:
  const NodeId self_;
  const std::int64_t nodes_;
  Links& links_;
  Waits& waits_;
  std::uint64_t entered_ = 0;                        // by this node
  std::map<std::uint64_t, TicketId> waiting_;        // by number
  std::map<std::uint64_t, std::set<NodeId>> there_;  // coordinator only
};

}  // namespace godwit
