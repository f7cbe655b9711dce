// core/group_book.h: which groups there are, who their ranks are, and which of them are live. Pure:
// time is passed in. Owned by the coordinator's state machine.
//
// A group begins a life when all its ranks have joined, and ends it when one is gone. It is live
// while it shows progress: its steps count, against how long those usually take. A broken
// connection only shortens the patience with it. One that had expired and shows progress is live
// again, in the same life.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time_source.h"
#include "godwit/groups.h"
#include "godwit/ids.h"
#include "wire/group_messages.h"

namespace godwit {

class GroupBook {
 public:
  explicit GroupBook(const GroupPatience& patience) : patience_(patience) {}

  // A node is a rank of a group. Its incarnation ends lives of earlier ones. kInvalidArgument, with
  // nothing changed: the group has all its ranks, the rank is taken, other ranks have said another
  // size, or a later incarnation.
  Result<> join(NodeId node, const GroupPlace& place, Time now);
  // It is no more: it has said so, or it is lost.
  void leave(NodeId node);
  // Its group is in this step. Steps that do not rise say nothing.
  void progress(NodeId node, std::uint64_t step, Time now);
  // This life of a group has done its part and waits for others: until it need not wait any longer,
  // it is live without showing progress. Of a life that has ended: says nothing of the next.
  void begin_waiting(const GroupRecord& record, Time now);
  void end_waiting(Time now);

  // The connection to a node broke, or is there again.
  void on_down(NodeId node, Time now);
  void on_up(NodeId node, Time now);

  // Groups whose time is up are not live from now on.
  void expire(Time now);
  // When expire() may next have something to do.
  Time deadline() const;

  // Rises when the live groups change.
  std::uint64_t version() const { return version_; }
  // In the order of groups.
  std::vector<GroupRecord> live() const;
  bool is_live(const GroupRecord& record) const;
  // The present life of a group that has all its ranks.
  std::optional<GroupRecord> of(NodeId node) const;
  // All nodes that have joined and not left.
  std::set<NodeId> members() const;

 private:
  using Ranks = std::map<std::uint32_t, NodeId>;
  struct Group {
    std::uint64_t life = 0;
    std::uint64_t incarnation = 0;
    std::uint32_t size = 0;
    Ranks ranks;            // of this life; fewer than size: it has ended
    std::set<NodeId> down;  // ranks whose connection is broken
    bool is_live = false;
    bool is_waiting = false;
    Time expires = Time::max();
    std::optional<Time> last_progress;
    std::uint64_t last_step = 0;
    std::optional<Duration> usual;  // between reports
    // Of the next life:
    Ranks joined;
    std::uint32_t joined_size = 0;
    std::uint64_t joined_incarnation = 0;

    bool is_whole() const { return size > 0 && ranks.size() == size; }
  };

  static GroupRecord record(std::uint32_t number, const Group& group) {
    return {.life = group.life, .group = number, .size = group.size};
  }
  // Its group, if that has all its ranks; null if there is none.
  Group* whole_group_of(NodeId node);
  Duration patience_with(const Group& group) const;
  void renew(Group& group, Time now);
  void begin_life(Group& group, Time now);
  Result<> check_join(NodeId node, const GroupPlace& place) const;
  void end_if_not_whole(Group& group);

  const GroupPatience patience_;
  std::map<std::uint32_t, Group> groups_;
  std::uint64_t lives_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace godwit
