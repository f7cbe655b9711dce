// launch/rank_place.h: the place of a process in a job of table nodes and groups, as `godwit
// launch --groups` tells it. A pure function of the environment. Thread-safe: no state.
//
// Node numbers: table nodes 0 to S-1, then the ranks of group 0, of group 1, ...
//
// | variable         | table node | rank | meaning                                                |
// |------------------|------------|------|--------------------------------------------------------|
// | GODWIT_NODES     | yes        | yes  | table nodes and ranks together                         |
// | GODWIT_SERVERS   | yes        | yes  | how many table nodes there are, S                      |
// | GODWIT_ROLE      | server     | rank | what this process is                                   |
// | GODWIT_NODE      | yes        |      | its number                                             |
// | GODWIT_GROUPS    | yes        | yes  | how many groups there are                              |
// | GODWIT_GROUP     |            | yes  | which of them this is                                  |
// | GODWIT_NODE_BASE |            | yes  | the number of the group's rank 0; MPI tells the rank   |
// | GODWIT_GROUP_LIFE|            | yes  | how often the group was started again                  |
#pragma once

#include <cstdint>
#include <optional>

#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

enum class NodeRole {
  kNode,    // a job without groups: holds rows and hosts workers
  kServer,  // holds rows
  kRank,    // of a group
};

// The place of a rank in its group, and of the group among the groups.
struct RankPlace {
  std::int64_t group = 0;
  std::int64_t groups = 1;
  std::int64_t rank = 0;
  std::int64_t size = 1;  // ranks of this group, as of every other
  std::int64_t life = 0;  // of the group: 0 for its first

  bool operator==(const RankPlace&) const = default;
};

// What the variables say; the rank itself is MPI's to tell.
struct GroupVariables {
  NodeRole role = NodeRole::kNode;
  std::int64_t servers = 0;  // 0: every node holds rows
  // Of a rank only.
  std::int64_t nodes = 0;
  std::int64_t base = 0;  // the node that is the group's rank 0
  RankPlace place;        // without the rank
};

// kInvalidArgument, naming the variables, if one is malformed or missing or two contradict.
Result<GroupVariables> group_variables(const Environment& environment);

}  // namespace godwit
