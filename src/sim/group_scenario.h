// sim/group_scenario.h: a job with groups: its size, how groups exchange, what goes wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "godwit/groups.h"
#include "godwit/ids.h"
#include "godwit/table_spec.h"
#include "sim/faults.h"

namespace godwit::sim {

// A group stops: it is killed and comes back, or it is frozen.
struct GroupTrouble {
  std::int64_t group = 0;
  Duration after{};       // from the start
  bool is_death = false;  // else it is frozen
  Duration lasts{};       // until its ranks are there again, each a little later or earlier
};

struct GroupScenario {
  std::int64_t servers = 1;
  std::int64_t groups = 2;
  std::int64_t ranks = 1;  // of each
  std::vector<TableSpec> tables;
  ExchangeMode mode = ExchangeMode::kElastic;
  Compression compression;
  GroupPatience patience;
  std::uint64_t steps = 10;  // of each group
  Duration compute_max{};    // of a step
  Faults faults;
  std::vector<GroupTrouble> troubles;
  bool lose_an_update = false;  // the canary: a checker must fire

  std::int64_t nodes() const { return servers + groups * ranks; }
  std::int64_t group_of(NodeId node) const { return (node.value() - servers) / ranks; }
  std::int64_t rank_of(NodeId node) const { return (node.value() - servers) % ranks; }
  NodeId node_of(std::int64_t group, std::int64_t rank) const {
    return NodeId{servers + group * ranks + rank};
  }
};

GroupScenario draw_group_scenario(std::uint64_t seed);
// Makes a scenario in which a checker must fire.
void add_canary(GroupScenario& scenario);

}  // namespace godwit::sim
