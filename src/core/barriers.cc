// core/barriers.cc: the coordinator counts, then releases.
#include "core/barriers.h"

#include <algorithm>

#include "base/errors.h"
#include "core/peers.h"

namespace godwit {

Barriers::Barriers(NodeId self, std::int64_t nodes, Links& links, Waits& waits)
    : self_(self),
      nodes_(nodes),
      links_(links),
      waits_(waits),
      reached_(self == kCoordinator ? static_cast<std::size_t>(nodes) : 0) {}

void Barriers::enter(TicketId ticket) {
  const Barrier barrier{.number = ++entered_, .node = self_};
  waits_.begin(ticket, {.verb = "barrier"}, {{kCoordinator, 1}});
  waiting_[barrier.number] = ticket;
  if (self_ != kCoordinator) return links_.send(kCoordinator, make_frame(kFirstTerm, barrier));
  const auto handled = on_barrier(self_, barrier);
  if (!handled.ok()) waits_.fail(ticket, handled.error());
}

std::vector<NodeId> Barriers::missing() const {
  std::vector<NodeId> nodes;
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    if (reached_[static_cast<std::size_t>(peer.value())] < entered_) nodes.push_back(peer);
  });
  return nodes;
}

Result<> Barriers::on_barrier(NodeId from, const Barrier& barrier) {
  if (self_ != kCoordinator || barrier.node != from) {
    return corruption("node {} told node {} that node {} is at a barrier", from.value(),
                      self_.value(), barrier.node.value());
  }
  std::uint64_t& reached = reached_[static_cast<std::size_t>(from.value())];
  if (barrier.number != reached + 1) {
    return corruption("node {} came to barrier {} after barrier {}", from.value(), barrier.number,
                      reached);
  }
  reached = barrier.number;
  // Some node is the last to come: all others are here or further.
  if (*std::min_element(reached_.begin(), reached_.end()) < barrier.number) return {};
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    links_.send(peer, make_frame(kFirstTerm, Released{.number = barrier.number}));
  });
  return on_released(self_, {.number = barrier.number});
}

Result<> Barriers::on_released(NodeId from, const Released& released) {
  if (from != kCoordinator) return corruption("node {} released a barrier", from.value());
  const auto place = waiting_.find(released.number);
  if (place == waiting_.end()) {
    return corruption("released from barrier {}, which nobody entered", released.number);
  }
  const TicketId ticket = place->second;
  waiting_.erase(place);
  return waits_.arrived(Waits::wire_number(ticket, 0), 1);
}

}  // namespace godwit
