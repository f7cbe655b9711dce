// core/node_core_losses.cc: what becomes of the job when a node is lost: it fails, unless that node
// had nothing that the others need.
#include <algorithm>

#include "base/errors.h"
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
  steps_.do_without(peer, members_.lost_error(peer).message(), now);
  note_step_failure();
  groups_.forget(peer, now);
  release_parked(now);
}

// Rows would be lost with others, or ticks, or what nodes have said to each other.
Result<> NodeCore::check_fit(const TableSpec& spec) const {
  if (options_.rejoin_within <= Duration::zero()) return {};
  if (spec.placement == Placement::kStatic && spec.consistency.kind == ConsistencyKind::kAsync) {
    return {};
  }
  return invalid_argument(
      "table '{}' has placement {} and consistency {}, but where nodes may come back tables must "
      "be static and async",
      spec.name, to_string(spec.placement), to_string(spec.consistency));
}

bool NodeCore::may_come_back(NodeId peer) const {
  return options_.rejoin_within > Duration::zero() && options_.self.value() < map_.servers() &&
         may_lose(peer);
}

// The life before is lost for good, with all that was under way in it; numbers begin anew.
void NodeCore::begin_life(NodeId peer, Time now) {
  if (!members_.is_lost(peer)) {
    members_.mark_lost(peer, "it was restarted; the process that was a member is gone");
  }
  note_losses(now);
  if (failure_) return;
  members_.begin_life(peer, now);
  links_.begin_life(peer);
  if (options_.self == kCoordinator) {
    registry_.welcome(peer);
    barriers_.welcome(peer);
  }
  if (farewell_) links_.send(peer, make_frame(kFirstTerm, Bye{.reason = ByeReason::kFinished}));
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
  finish_farewell_if_alone(now);
  if (failure_) waits_.fail_all(*failure_);
}

void NodeCore::say_bye(TicketId ticket) {
  const auto reason = failure_ ? ByeReason::kFailed : ByeReason::kFinished;
  const std::string text = failure_ ? failure_->message() : "";
  std::vector<Waits::Request> others;
  for_each_peer(options_.self, options_.nodes, [&](NodeId peer) {
    if (!members_.is_peer(peer)) return;
    if (members_.is_lost(peer)) {
      // Perhaps it comes back; how long that may take is asked by timer.
      if (may_come_back(peer) && !failure_) others.push_back({peer, 1});
      return;
    }
    links_.send(peer, make_frame(kFirstTerm, Bye{.reason = reason, .text = text}));
    // When the job has failed there is nothing left to serve each other for.
    if (!members_.has_left(peer) && !failure_) others.push_back({peer, 1});
  });
  farewell_ = ticket;
  members_.on_leaving();
  waits_.begin(ticket, {.verb = "farewell"}, std::move(others));
}

// Where ranks of groups come and go, those that stay meet without them: at their own pace, whoever
// is away.
void NodeCore::spare_at_barriers(NodeId peer) {
  if (options_.self != kCoordinator || options_.rejoin_within <= Duration::zero()) return;
  if (may_lose(peer)) barriers_.do_without(peer);
}

Result<> NodeCore::on_bye(NodeId peer, const Bye& bye, Time now) {
  if (bye.reason == ByeReason::kFailed && !failure_ && may_lose(peer)) {
    // It cannot go on, perhaps since it alone has lost somebody. Nobody needs it.
    links_.send_unnumbered(peer, make_frame(kFirstTerm, Receipt{}));
    lose(peer, unavailable("it gave up: {}", bye.text), now);
    return {};
  }
  members_.on_bye(peer);
  clocks_.on_left(peer, now);
  groups_.forget(peer, now);
  if (bye.reason == ByeReason::kFinished) spare_at_barriers(peer);
  links_.send_unnumbered(peer, make_frame(kFirstTerm, Receipt{}));
  if (bye.reason == ByeReason::kFailed && !failure_) {
    failure_ = unavailable("node {} gave up: {}", peer.value(), bye.text);
    waits_.fail_all(*failure_);
  }
  finish_farewell_if_alone(now);
  return {};
}

bool NodeCore::is_gone(NodeId peer, Time now) const {
  if (members_.has_left(peer)) return true;
  if (!members_.is_lost(peer) || failure_) return false;
  return !may_come_back(peer) || now >= members_.lost_since(peer) + options_.rejoin_within;
}

void NodeCore::finish_farewell_if_alone(Time now) {
  if (!farewell_ || !waits_.exists(*farewell_)) return;
  for (const NodeId peer : waits_.waiting_for(*farewell_)) {
    if (is_gone(peer, now)) waits_.arrived_from(*farewell_, peer);
  }
}

Time NodeCore::farewell_deadline() const {
  Time next = Time::max();
  if (!farewell_ || !waits_.exists(*farewell_)) return next;
  for (const NodeId peer : waits_.waiting_for(*farewell_)) {
    if (!members_.is_lost(peer)) continue;
    next = std::min(next, members_.lost_since(peer) + options_.rejoin_within);
  }
  return next;
}

}  // namespace godwit
