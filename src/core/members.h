// core/members.h: who is in the job, who was heard when, who is lost. Owned by the state machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/frame.h"
#include "base/time_source.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// When a peer counts as what.
struct Liveness {
  Duration join_within = std::chrono::seconds(60);  // from the start to its first connection
  Duration beat_every = std::chrono::seconds(1);
  Duration lost_after = std::chrono::seconds(5);    // from losing its connection
  Duration expel_after = std::chrono::seconds(30);  // connected, but not a byte heard
};

// Nodes 0 .. n-1, each in one life at a time. A life that is lost stays lost; where nodes may come
// back (node_core_losses.cc), another one may begin.
class Members {
 public:
  // `hubs` > 0: nodes from there on do not hear of each other.
  Members(NodeId self, std::int64_t nodes, const Liveness& liveness, Time now,
          std::int64_t hubs = 0);

  // Whether this node has anything to do with another.
  bool is_peer(NodeId peer) const {
    return peer != self_ && (hubs_ == 0 || self_.value() < hubs_ || peer.value() < hubs_);
  }

  // False: this is another life of the peer; the one that was a member is gone for good.
  bool on_up(NodeId peer, Incarnation incarnation, Time now);
  void on_heard(NodeId peer, Time now);
  void on_down(NodeId peer, const Error& why, Time now);
  // The peer has said goodbye. It serves its rows until all nodes have, so its silence is no loss
  // only once this node leaves too.
  void on_bye(NodeId peer);
  // This node has said goodbye.
  void on_leaving();
  void mark_lost(NodeId peer, std::string why);
  // It was a member in another life than this one, or is lost.
  bool is_past(NodeId peer, Incarnation incarnation) const;
  // This life of it, the present or an earlier one, is over.
  bool has_ended(NodeId peer, Incarnation incarnation) const;
  // A new life of it begins, which is not connected yet. REQUIRES: is_lost(peer).
  void begin_life(NodeId peer, Time now);

  // Marks peers as lost whose time is up.
  void expire(Time now);
  // Peers that became lost since the last call.
  std::vector<NodeId> take_newly_lost() { return std::exchange(newly_lost_, {}); }
  // When expire() may next have something to do; not earlier for what was heard since the last one.
  Time next_check() const { return next_check_; }

  std::int64_t nodes() const { return static_cast<std::int64_t>(peers_.size()); }
  bool is_up(NodeId peer) const { return of(peer).up; }
  Time last_heard(NodeId peer) const { return of(peer).last_heard; }
  bool has_left(NodeId peer) const { return of(peer).bye; }
  bool is_lost(NodeId peer) const { return of(peer).lost; }
  // REQUIRES: is_lost(peer).
  Time lost_since(NodeId peer) const { return of(peer).changed; }
  // The first peer that was lost, for whose sake the job cannot go on.
  std::optional<NodeId> first_lost() const { return first_lost_; }

  // "node 2, without connection for 3.1 s (reset by peer)", "node 2, last heard 6.3 s ago".
  std::string describe(NodeId peer, Time now) const;
  // kUnavailable, naming the peer and why it is lost. REQUIRES: is_lost(peer).
  Error lost_error(NodeId peer) const;

 private:
  struct Peer {
    Incarnation incarnation{0};  // 0: never connected
    bool up = false;
    bool bye = false;
    bool lost = false;
    Time last_heard;
    Time changed;     // when it last went up or down or was lost; the start, if it never did
    std::string why;  // it is down or lost
    std::vector<Incarnation> ended;  // lives
  };

  Peer& of(NodeId peer) { return peers_[static_cast<std::size_t>(peer.value())]; }
  const Peer& of(NodeId peer) const { return peers_[static_cast<std::size_t>(peer.value())]; }
  bool may_be_gone(const Peer& peer) const;
  std::optional<Time> deadline(const Peer& peer) const;
  std::string reason(const Peer& peer) const;
  void set_next_check();

  const NodeId self_;
  const Liveness liveness_;
  const std::int64_t hubs_;
  Time now_;  // of the last event
  bool leaving_ = false;
  std::vector<Peer> peers_;
  std::vector<NodeId> newly_lost_;
  Time next_check_ = Time::max();  // or later, by what was heard since
  std::optional<NodeId> first_lost_;
};

}  // namespace godwit
