// core/groups.h: groups of ranks in a job: what this node does as a rank, as an owner of rows and,
// if it is the coordinator, as who keeps the book. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/frame.h"
#include "base/time_source.h"
#include "core/exchanges.h"
#include "core/group_book.h"
#include "core/links.h"
#include "core/round_leader.h"
#include "core/router.h"
#include "core/sync_rounds.h"
#include "core/waits.h"
#include "godwit/groups.h"
#include "wire/frame_view.h"

namespace godwit {

class Groups {
 public:
  // REQUIRES: all arguments outlive this.
  Groups(NodeId self, const PartitionMap& map, const GroupPatience& patience, Tables& tables,
         Links& links, Waits& waits);

  // This node is a rank of a group; the ticket is done when the group is live.
  void join(TicketId ticket, const GroupPlace& place, Time now);
  void progress(std::uint64_t step, Time now);
  void leave(Time now);
  GroupsView view() const;
  // As it was when the group that this node joined last became live: the same for all its ranks.
  const GroupsView& joined() const { return joined_; }
  // The life of this node's group that it joined last; nothing before it was live.
  const std::optional<GroupRecord>& own() const { return own_; }
  // Which rank of it this node is. REQUIRES: own().
  const GroupPlace& place() const { return place_; }

  // Sends the requests of a ticket, which are exchanges; some may be to this node. `part` follows
  // them to all servers, if there is one.
  void exchange(TicketId ticket, Purpose purpose, std::vector<OutgoingRequest> requests,
                const std::optional<RoundPart>& part, Time now);

  // A part of a message about groups. kCorruption if `from` cannot have meant it.
  Result<> handle(NodeId from, const PartView& part, const FramePtr& frame, Time now);

  // The connection to a node broke, or is there again.
  void on_down(NodeId node, Time now) {
    if (book_) book_->on_down(node, now);
  }
  void on_up(NodeId node, Time now) {
    if (book_) book_->on_up(node, now);
  }
  // A node is gone: it is lost, or has said goodbye. Nothing of it is answered any more.
  void forget(NodeId node, Time now);

  Time deadline() const { return book_ ? book_->deadline() : Time::max(); }
  void on_timer(Time now);

  const std::optional<Error>& failure() const { return rounds_.failure(); }
  Exchanges& exchanges() { return exchanges_; }
  const SyncRounds& rounds() const { return rounds_; }
  // Null on other nodes than the coordinator.
  const GroupBook* book() const { return book_ ? &*book_ : nullptr; }
  // For who checks: told how a round ends, before anybody acts by it.
  void watch(std::function<void(const RoundLeader::End& end)> watcher) {
    watcher_ = std::move(watcher);
  }

 private:
  bool is_server(NodeId node) const { return node.value() < map_.servers(); }
  Result<> check_coordinator(NodeId from) const;
  Result<> on_joins(NodeId from, const GroupJoins& joins, Time now);
  Result<> on_now(NodeId from, const GroupsNow& now);
  Result<> on_exchanged(NodeId from, const Exchanged& exchanged, const FramePtr& frame);
  Result<> on_part(NodeId from, const RoundPart& part, Time now);
  Result<> on_ready(NodeId from, const RoundReady& ready, Time now);
  Result<> on_ends(NodeId from, const RoundEnds& ends, Time now);
  // Coordinator: tells who is live if that has changed, and ends the round if it may end.
  Result<> settle(Time now);
  Result<> end_round(const RoundLeader::End& end, Time now);
  void tell_groups();
  // Owner: tells the coordinator whose parts are complete.
  Result<> tell_ready(Time now);
  void reply(NodeId to, std::shared_ptr<Frame> frame);

  const NodeId self_;
  const PartitionMap& map_;
  Links& links_;
  Waits& waits_;
  // As a rank:
  GroupPlace place_;
  std::optional<TicketId> joining_;
  std::optional<GroupRecord> own_;
  GroupsView joined_;
  std::uint64_t last_life_ = 0;  // of its group, in which this node was
  std::uint64_t version_ = 0;    // these as the coordinator said last
  std::uint64_t round_ = 0;
  std::vector<GroupRecord> live_;
  // As an owner:
  SyncRounds rounds_;
  Exchanges exchanges_;
  // As the coordinator:
  std::optional<GroupBook> book_;
  std::optional<RoundLeader> leader_;
  std::uint64_t told_ = 0;  // version of the book
  std::function<void(const RoundLeader::End& end)> watcher_;
};

// Whether this is a message that Groups::handle() takes.
bool is_about_groups(PartType type);

}  // namespace godwit
