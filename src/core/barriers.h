// core/barriers.h: points that all nodes reach before any goes on. Owned by the state machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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

  // A node is lost or has left, and the others go on. REQUIRES: this is the coordinator.
  void do_without(NodeId node);
  // It has come back, in a new life. Its first barrier is that of the start, which others have
  // passed; it is waited for again when it enters the next one. REQUIRES: this is the coordinator.
  void welcome(NodeId node);
  // Nodes that were not there when the last barrier was left; the same on all nodes.
  const std::vector<NodeId>& absent() const { return absent_; }

  // Nodes that have not come to the barrier at which this node is. REQUIRES: it is the coordinator.
  std::vector<NodeId> missing() const;

  // kCorruption if `from` cannot have meant it.
  Result<> on_barrier(NodeId from, const Barrier& barrier);
  Result<> on_released(NodeId from, const Released& released);

 private:
  // Releases those that all nodes have reached but for the lost ones. Coordinator only.
  Result<> release();

  const NodeId self_;
  const std::int64_t nodes_;
  Links& links_;
  Waits& waits_;
  std::uint64_t entered_ = 0;                  // by this node
  std::map<std::uint64_t, TicketId> waiting_;  // by number
  std::vector<NodeId> absent_;
  // Of the coordinator only:
  std::vector<std::uint64_t> reached_;  // by each node
  std::vector<std::uint64_t> before_;   // barriers that were passed before it counted its own
  std::set<std::uint32_t> back_;        // nodes of lost_ that have come back
  std::vector<std::uint32_t> lost_;     // nodes, rising
  std::uint64_t released_ = 0;
};

}  // namespace godwit
