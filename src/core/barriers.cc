// core/barriers.cc: the coordinator counts, then releases.
#include "core/barriers.h"

#include <algorithm>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"

namespace godwit {

Barriers::Barriers(NodeId self, std::int64_t nodes, Links& links, Waits& waits)
    : self_(self),
      nodes_(nodes),
      links_(links),
      waits_(waits),
      reached_(self == kCoordinator ? static_cast<std::size_t>(nodes) : 0),
      before_(reached_.size()) {}

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
    const auto number = static_cast<std::uint32_t>(peer.value());
    if (std::binary_search(lost_.begin(), lost_.end(), number)) return;
    if (reached_[number] < entered_) nodes.push_back(peer);
  });
  return nodes;
}

Result<> Barriers::on_barrier(NodeId from, const Barrier& barrier) {
  if (self_ != kCoordinator || barrier.node != from) {
    return corruption("node {} told node {} that node {} is at a barrier", from.value(),
                      self_.value(), barrier.node.value());
  }
  const auto node = static_cast<std::uint32_t>(from.value());
  if (back_.contains(node)) {
    if (barrier.number == 1) {
      links_.send(from, make_frame(kFirstTerm, Released{.number = 1, .absent = lost_}));
      return {};
    }
    back_.erase(node);
    std::erase(lost_, node);
    before_[node] = released_ + 1 - barrier.number;
    reached_[node] = released_;
  }
  std::uint64_t& reached = reached_[node];
  if (barrier.number + before_[node] != reached + 1) {
    return corruption("node {} came to barrier {} after barrier {}", from.value(), barrier.number,
                      reached);
  }
  ++reached;
  return release();
}

Result<> Barriers::release() {
  std::uint64_t all = entered_;
  for (std::size_t node = 0; node < reached_.size(); ++node) {
    const auto number = static_cast<std::uint32_t>(node);
    if (!std::binary_search(lost_.begin(), lost_.end(), number))
      all = std::min(all, reached_[node]);
  }
  while (released_ < all) {
    Released released{.number = ++released_, .absent = lost_};
    for_each_peer(self_, nodes_, [&](NodeId peer) {
      const auto number = static_cast<std::uint32_t>(peer.value());
      if (std::binary_search(lost_.begin(), lost_.end(), number)) return;
      released.number = released_ - before_[number];
      links_.send(peer, make_frame(kFirstTerm, released));
    });
    released.number = released_;
    GODWIT_TRY(on_released(self_, released));
  }
  return {};
}

void Barriers::do_without(NodeId node) {
  const auto number = static_cast<std::uint32_t>(node.value());
  if (back_.erase(number) > 0) return;                                 // nobody has waited for it
  if (std::binary_search(lost_.begin(), lost_.end(), number)) return;  // it had left
  lost_.push_back(number);
  std::sort(lost_.begin(), lost_.end());
  const auto released = release();
  GODWIT_CHECK(released.ok());
}

void Barriers::welcome(NodeId node) {
  back_.insert(static_cast<std::uint32_t>(node.value()));
}

Result<> Barriers::on_released(NodeId from, const Released& released) {
  if (from != kCoordinator) return corruption("node {} released a barrier", from.value());
  const auto place = waiting_.find(released.number);
  if (place == waiting_.end()) {
    return corruption("released from barrier {}, which nobody entered", released.number);
  }
  absent_.clear();
  for (const std::uint32_t node : released.absent) absent_.push_back(NodeId{node});
  const TicketId ticket = place->second;
  waiting_.erase(place);
  return waits_.arrived(Waits::wire_number(ticket, 0), 1);
}

}  // namespace godwit
