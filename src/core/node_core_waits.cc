// core/node_core_waits.cc: what a ticket of this node waits for, in words.
#include <fmt/format.h>

#include <vector>

#include "core/node_core.h"
#include "core/peers.h"

namespace godwit {
namespace {

constexpr Duration kSilent = std::chrono::milliseconds(1500);  // beats come more often

}  // namespace

// Who is behind may wait for the acknowledgements of another one.
std::string NodeCore::describe_silent(Time now) const {
  std::string text;
  for_each_peer(options_.self, options_.nodes, [&](NodeId peer) {
    if (members_.has_left(peer) || now - members_.last_heard(peer) < kSilent) return;
    text += "; " + members_.describe(peer, now);
  });
  return text;
}

std::string NodeCore::describe(TicketId ticket, Time now) const {
  std::string text = waits_.what(ticket);
  const LeaseRows* const lease = leases_.awaited(ticket);
  const bool is_bounded = lease != nullptr && lease->need.has_value();
  if (clocks_.is_waiting(ticket) || (is_bounded && clocks_.stable() < *lease->need)) {
    return text + ", waiting for " + clocks_.describe_slowest(now, members_) + describe_silent(now);
  }
  if (is_bounded) {
    text +=
        fmt::format(", {} of which are on their way", lease->missing.size() + lease->stale.size());
    for (const NodeId peer : leases_.asked_for(*lease)) {
      text += ", waiting for " + members_.describe(peer, now);
    }
    return text;
  }
  if (steps_.member().is_waiting(ticket)) {
    return text + ", waiting for " + steps_.describe(now) + describe_silent(now);
  }
  std::vector<NodeId> awaited = waits_.waiting_for(ticket);
  // Who waits for itself waits for others of whom it has asked something: at the begin of a worker,
  // or as the coordinator at a barrier for those that have not come.
  if (std::erase(awaited, options_.self) > 0) {
    awaited = clocks_.asked_for(ticket);
    if (awaited.empty() && options_.self == kCoordinator) awaited = barriers_.missing();
  }
  for (const NodeId peer : awaited) text += ", waiting for " + members_.describe(peer, now);
  return text;
}

}  // namespace godwit
