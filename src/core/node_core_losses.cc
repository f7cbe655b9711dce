// core/node_core_losses.cc: what becomes of the job when a node is lost: it fails, unless that node
// had nothing that the others need.
#include <algorithm>

#include "core/node_core.h"
#include "core/peers.h"

namespace godwit {

void NodeCore::lose(NodeId peer, const Error& why, Time now) {
  members_.mark_lost(peer, why.message());
  note_losses(now);
}

// Where all rows are on servers and stay there, and no tick waits for it, a node that is no server
// can be missed. A change that it has made is applied or is not, as if it had died before.
bool NodeCore::may_lose(NodeId peer) const {
  if (peer.value() < map_.servers() || clocks_.is_on()) return false;
  bool are_static = true;
  tables_.for_each([&](TableId, const TableRows& rows) {
    are_static = are_static && rows.spec().placement == Placement::kStatic;
  });
  return are_static;
}

void NodeCore::do_without(NodeId peer, Time now) {
  clocks_.on_left(peer, now);
  registry_.do_without(peer);
  if (options_.self == kCoordinator) barriers_.do_without(peer);
  steps_.do_without(peer, now);
  release_parked(now);
}

void NodeCore::note_losses(Time now) {
  for (const NodeId peer : members_.take_newly_lost()) {
    links_.on_down(peer);
    links_.forget(peer);
    if (failure_) continue;
    if (may_lose(peer)) {
      do_without(peer, now);
    } else {
      failure_ = members_.lost_error(peer);
    }
  }
  finish_farewell_if_alone();
  if (failure_) waits_.fail_all(*failure_);
}

void NodeCore::finish_farewell_if_alone() {
  if (!farewell_ || !waits_.exists(*farewell_)) return;
  for (const NodeId peer : waits_.waiting_for(*farewell_)) {
    const bool is_gone = members_.has_left(peer) || (members_.is_lost(peer) && !failure_);
    if (is_gone) waits_.arrived_from(*farewell_, peer);
  }
}

}  // namespace godwit
