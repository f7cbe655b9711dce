// core/round_leader.h: when a round of sync exchanges ends, and with whom: when every live group
// has brought all its sums to all servers. Pure. Owned by the coordinator's state machine.
//
// What one node decides is the same for all rows of all servers: a group that dies half-way counts
// for none of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/group_book.h"
#include "godwit/ids.h"
#include "wire/group_messages.h"

namespace godwit {

class RoundLeader {
 public:
  // REQUIRES: the book outlives this.
  RoundLeader(std::int64_t servers, GroupBook& book) : servers_(servers), book_(book) {}

  std::uint64_t round() const { return round_; }

  // A server has all that a group has for it. Of a round that has ended: says nothing.
  // kCorruption if it is of a round that has not begun.
  Result<> on_ready(NodeId server, const RoundReady& ready, Time now);

  // Ends the round, if it may end: groups whose sums count, in their order. To be asked after all
  // that may have changed who is ready or live.
  struct End {
    std::uint64_t round = 0;
    std::vector<GroupRecord> chosen;
  };
  std::optional<End> take_end(Time now);
  // Ends it with whom it can, for those who wait in it though nobody is live: ranks of one group
  // that do not agree in which round they are, for example.
  End give_up(Time now);

 private:
  using GroupLife = std::pair<std::uint32_t, std::uint64_t>;
  bool is_complete(const std::set<NodeId>& servers) const {
    return static_cast<std::int64_t>(servers.size()) == servers_;
  }

  const std::int64_t servers_;
  GroupBook& book_;
  std::uint64_t round_ = 1;
  std::map<GroupLife, std::set<NodeId>> ready_;
};

}  // namespace godwit
