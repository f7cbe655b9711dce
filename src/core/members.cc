// core/members.cc: keeps times, judges by them.
#include "core/members.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/ids_fmt.h"

namespace godwit {

Members::Members(NodeId self, std::int64_t nodes, const Liveness& liveness, Time now,
                 std::int64_t hubs)
    : self_(self),
      liveness_(liveness),
      hubs_(hubs),
      now_(now),
      peers_(static_cast<std::size_t>(nodes)) {
  for (Peer& peer : peers_) {
    peer.last_heard = now;
    peer.changed = now;
    peer.why = "not connected yet";
  }
  set_next_check();
}

bool Members::on_up(NodeId id, Incarnation incarnation, Time now) {
  Peer& peer = of(id);
  now_ = now;
  if (peer.incarnation != Incarnation{0} && peer.incarnation != incarnation) {
    mark_lost(id, "it was restarted; the process that was a member is gone");
    return false;
  }
  if (peer.lost) return false;
  peer.incarnation = incarnation;
  peer.up = true;
  peer.changed = now;
  peer.last_heard = now;
  set_next_check();
  return true;
}

void Members::on_heard(NodeId id, Time now) {
  of(id).last_heard = now;
  now_ = now;
}

void Members::on_down(NodeId id, const Error& why, Time now) {
  Peer& peer = of(id);
  now_ = now;
  if (peer.up) peer.changed = now;  // a failed attempt to connect puts nothing off
  peer.up = false;
  peer.why = why.message();
  set_next_check();
}

void Members::on_bye(NodeId id) {
  of(id).bye = true;
  set_next_check();
}

void Members::on_leaving() {
  leaving_ = true;
  set_next_check();
}

void Members::mark_lost(NodeId id, std::string why) {
  Peer& peer = of(id);
  if (peer.lost || may_be_gone(peer)) return;
  peer.lost = true;
  peer.up = false;
  peer.changed = now_;
  peer.why = std::move(why);
  newly_lost_.push_back(id);
  if (!first_lost_) first_lost_ = id;
}

bool Members::is_past(NodeId id, Incarnation incarnation) const {
  const Peer& peer = of(id);
  return peer.lost || (peer.incarnation != Incarnation{0} && peer.incarnation != incarnation);
}

bool Members::has_ended(NodeId id, Incarnation incarnation) const {
  const Peer& peer = of(id);
  if (peer.lost && peer.incarnation == incarnation) return true;
  return std::find(peer.ended.begin(), peer.ended.end(), incarnation) != peer.ended.end();
}

void Members::begin_life(NodeId id, Time now) {
  Peer& peer = of(id);
  std::vector<Incarnation> ended = std::move(peer.ended);
  ended.push_back(peer.incarnation);
  peer = {.last_heard = now, .changed = now, .why = "not connected yet", .ended = std::move(ended)};
  if (first_lost_ == id) first_lost_.reset();
  set_next_check();
}

// Hubs say goodbye when they begin to serve: they are needed as long as anybody else is there.
bool Members::may_be_gone(const Peer& peer) const {
  if (!peer.bye || !leaving_) return false;
  if (&peer - peers_.data() >= hubs_ || self_.value() >= hubs_) return true;
  return std::all_of(peers_.begin() + hubs_, peers_.end(),
                     [](const Peer& other) { return other.bye || other.lost; });
}

// When the peer becomes lost if nothing is heard of it until then.
std::optional<Time> Members::deadline(const Peer& peer) const {
  const NodeId id{&peer - peers_.data()};
  if (peer.lost || may_be_gone(peer) || !is_peer(id)) return std::nullopt;
  if (peer.up) return peer.last_heard + liveness_.expel_after;
  const bool joined = peer.incarnation != Incarnation{0};
  return peer.changed + (joined ? liveness_.lost_after : liveness_.join_within);
}

std::string Members::reason(const Peer& peer) const {
  if (peer.up) return fmt::format("nothing heard of it for {}", liveness_.expel_after);
  if (peer.incarnation == Incarnation{0}) {
    return fmt::format("it did not join within {} ({})", liveness_.join_within, peer.why);
  }
  return fmt::format("its connection was lost and not made again within {} ({})",
                     liveness_.lost_after, peer.why);
}

void Members::expire(Time now) {
  now_ = now;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const std::optional<Time> at = deadline(peers_[i]);
    if (at && now >= *at) mark_lost(NodeId{static_cast<std::int64_t>(i)}, reason(peers_[i]));
  }
  set_next_check();
}

void Members::set_next_check() {
  next_check_ = Time::max();
  for (const Peer& peer : peers_) {
    if (const std::optional<Time> at = deadline(peer)) next_check_ = std::min(next_check_, *at);
  }
}

std::string Members::describe(NodeId id, Time now) const {
  const Peer& peer = of(id);
  if (peer.lost) return fmt::format("node {}, which is lost: {}", id.value(), peer.why);
  if (!peer.up) {
    return fmt::format("node {}, without connection for {} ({})", id.value(), now - peer.changed,
                       peer.why);
  }
  return fmt::format("node {}, last heard {} ago", id.value(), now - peer.last_heard);
}

Error Members::lost_error(NodeId id) const {
  return unavailable("node {} is lost: {}", id.value(), of(id).why);
}

}  // namespace godwit
