// launch/rank_place.cc: the variables of `godwit launch --groups`, each checked against the
// others.
#include "launch/rank_place.h"

#include "base/errors.h"
#include "base/try.h"
#include "launch/rank_claims.h"

namespace godwit {
namespace {

Result<std::int64_t> needed(const Environment& environment, std::string_view name) {
  GODWIT_TRY_ASSIGN(const auto number, number_of(environment, name));
  if (!number) return invalid_argument("GODWIT_ROLE is rank but {} is not set", name);
  return *number;
}

Result<NodeRole> role_of(const Environment& environment) {
  const auto text = value_of(environment, "GODWIT_ROLE");
  if (!text) return NodeRole::kNode;
  if (*text == "server") return NodeRole::kServer;
  if (*text == "rank") return NodeRole::kRank;
  return invalid_argument("GODWIT_ROLE is '{}', not server or rank", *text);
}

// A variable that only a process of another role has comes from a job around this one.
Result<> refuse(const Environment& environment, std::string_view name, std::string_view role) {
  if (!value_of(environment, name)) return {};
  return invalid_argument("{} is set, but GODWIT_ROLE is {}: unset what is not of this job", name,
                          role);
}

Result<GroupVariables> variables_of_server(const Environment& environment,
                                           GroupVariables variables) {
  GODWIT_TRY(refuse(environment, "GODWIT_GROUP", "server"));
  GODWIT_TRY(refuse(environment, "GODWIT_NODE_BASE", "server"));
  if (variables.servers == 0) {
    return invalid_argument("GODWIT_ROLE is server but GODWIT_SERVERS is not set");
  }
  GODWIT_TRY_ASSIGN(const auto node, number_of(environment, "GODWIT_NODE"));
  if (node && *node >= variables.servers) {
    return invalid_argument(
        "GODWIT_ROLE is server, but GODWIT_NODE={} is not below "
        "GODWIT_SERVERS={}",
        *node, variables.servers);
  }
  return variables;
}

Result<GroupVariables> variables_of_rank(const Environment& environment, GroupVariables variables) {
  RankPlace& place = variables.place;
  GODWIT_TRY(refuse(environment, "GODWIT_NODE", "rank"));
  GODWIT_TRY_ASSIGN(variables.nodes, needed(environment, "GODWIT_NODES"));
  GODWIT_TRY_ASSIGN(variables.servers, needed(environment, "GODWIT_SERVERS"));
  GODWIT_TRY_ASSIGN(variables.base, needed(environment, "GODWIT_NODE_BASE"));
  GODWIT_TRY_ASSIGN(place.groups, needed(environment, "GODWIT_GROUPS"));
  GODWIT_TRY_ASSIGN(place.group, needed(environment, "GODWIT_GROUP"));
  GODWIT_TRY_ASSIGN(place.life, needed(environment, "GODWIT_GROUP_LIFE"));
  if (variables.nodes > kNodesMax || variables.servers < 1 || place.groups < 1) {
    return invalid_argument(
        "GODWIT_NODES={} GODWIT_SERVERS={} GODWIT_GROUPS={}: at most {} nodes "
        "of which at least 1 is a table node, and at least 1 group",
        variables.nodes, variables.servers, place.groups, kNodesMax);
  }
  const std::int64_t ranks = variables.nodes - variables.servers;
  if (ranks < place.groups || ranks % place.groups != 0) {
    return invalid_argument(
        "GODWIT_NODES={} less GODWIT_SERVERS={} does not make GODWIT_GROUPS={} "
        "groups of one size",
        variables.nodes, variables.servers, place.groups);
  }
  place.size = ranks / place.groups;
  if (place.group >= place.groups) {
    return invalid_argument("GODWIT_GROUP={} is not below GODWIT_GROUPS={}", place.group,
                            place.groups);
  }
  const std::int64_t base = variables.servers + place.group * place.size;
  if (variables.base != base) {
    return invalid_argument(
        "GODWIT_NODE_BASE={}, but group {} of {} ranks each begins with node "
        "{} behind GODWIT_SERVERS={} table nodes",
        variables.base, place.group, place.size, base, variables.servers);
  }
  return variables;
}

}  // namespace

Result<GroupVariables> group_variables(const Environment& environment) {
  GroupVariables variables;
  GODWIT_TRY_ASSIGN(variables.role, role_of(environment));
  GODWIT_TRY_ASSIGN(const auto servers, number_of(environment, "GODWIT_SERVERS"));
  variables.servers = servers.value_or(0);
  switch (variables.role) {
    case NodeRole::kServer:
      return variables_of_server(environment, variables);
    case NodeRole::kRank:
      return variables_of_rank(environment, variables);
    case NodeRole::kNode:
      break;
  }
  for (const std::string_view name : {"GODWIT_GROUP", "GODWIT_NODE_BASE"}) {
    if (value_of(environment, name)) {
      return invalid_argument("{} is set but GODWIT_ROLE is not: set both or none", name);
    }
  }
  return variables;
}

}  // namespace godwit
