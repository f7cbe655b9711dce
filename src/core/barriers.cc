// core/barriers.cc: the coordinator counts, then releases.
#include "core/barriers.h"

#include "base/errors.h"
#include "core/peers.h"

namespace godwit {

Barriers::Barriers(NodeId self, std::int64_t nodes, Links& links, Waits& waits)
    : self_(self), nodes_(nodes), links_(links), waits_(waits) {}

void Barriers::enter(TicketId ticket) {
  const Barrier barrier{.number = ++entered_, .node = self_};
  waits_.begin(ticket, {.verb = "barrier"}, {{kCoordinator, 1}});
  waiting_[barrier.number] = ticket;
  if (self_ != kCoordinator) return links_.send(kCoordinator, make_frame(kFirstTerm, barrier));
  const auto handled = on_barrier(barrier);
  if (!handled.ok()) waits_.fail(ticket, handled.error());
}

Result<> Barriers::on_barrier(const Barrier& barrier) {
  std::set<NodeId>& there = there_[barrier.number];
  if (!there.insert(barrier.node).second) {
    return corruption("node {} reached barrier {} twice", barrier.node.value(), barrier.number);
  }
  if (there.size() < static_cast<std::size_t>(nodes_)) return {};
  there_.erase(barrier.number);
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    links_.send(peer, make_frame(kFirstTerm, Released{.number = barrier.number}));
  });
  return on_released({.number = barrier.number});
}

Result<> Barriers::on_released(const Released& released) {
  const auto place = waiting_.find(released.number);
  if (place == waiting_.end()) {
    return corruption("released from barrier {}, which nobody entered", released.number);
  }
  const TicketId ticket = place->second;
  waiting_.erase(place);
  return waits_.arrived(Waits::wire_number(ticket, 0), 1);
}

}  // namespace godwit
