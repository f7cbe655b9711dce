// sim/group_world.cc: runs a job with groups, kills and freezes them, heals it, judges its end.
#include "sim/group_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/group_node.h"

namespace godwit::sim {
namespace {

constexpr Duration kFaultTime = std::chrono::seconds(20);
constexpr Duration kHealTime = std::chrono::seconds(900);

}  // namespace

GroupWorld::GroupWorld(std::uint64_t seed, const GroupScenario& scenario)
    : scenario_(scenario),
      prng_(mix64(seed, 32)),
      network_(scenario.nodes(), scenario.faults, prng_.split()),
      ledger_(scenario_, [this](const std::string& what) { fail(what); }),
      done_(static_cast<std::size_t>(scenario.groups)) {
  network_.set_hubs(scenario.servers);
  for (std::int64_t group = 0; group < scenario.groups; ++group) {
    meetings_.push_back(std::make_unique<GroupMeeting>());
    meetings_.back()->steps.resize(static_cast<std::size_t>(scenario.ranks));
  }
  for (std::int64_t i = 0; i < scenario.nodes(); ++i) {
    nodes_.push_back(std::make_unique<GroupNode>(*this, NodeId{i}, prng_.split()));
  }
  network_.start();
  for (const auto& node : nodes_) node->start();
  network_.schedule(kFaultTime, [this] { network_.heal(); });
  for (const GroupTrouble& trouble : scenario_.troubles) plan(trouble);
}

GroupWorld::~GroupWorld() = default;

void GroupWorld::fail(const std::string& what) {
  if (!violation_) violation_ = what;
}

void GroupWorld::plan(const GroupTrouble& trouble) {
  network_.schedule(trouble.after, [this, trouble] {
    if (trouble.is_death) return kill(trouble.group, trouble.lasts);
    // One rank is enough to stop all.
    const auto ranks = static_cast<std::uint64_t>(scenario_.ranks);
    const auto rank = static_cast<std::int64_t>(prng_.below(ranks));
    network_.freeze(scenario_.node_of(trouble.group, rank), trouble.lasts);
  });
}

// All ranks at once, as a launcher does it, but they come back one by one.
void GroupWorld::kill(std::int64_t group, Duration time) {
  for (std::int64_t rank = 0; rank < scenario_.ranks; ++rank) {
    const NodeId node = scenario_.node_of(group, rank);
    // Not again while it is away, and not when it has ended.
    if (this->node(node).is_dead() || this->node(node).is_finished()) return;
  }
  ++deaths_;
  meetings_[static_cast<std::size_t>(group)] = std::make_unique<GroupMeeting>();
  meeting(group).steps.resize(static_cast<std::size_t>(scenario_.ranks));
  for (std::int64_t rank = 0; rank < scenario_.ranks; ++rank) {
    const NodeId node = scenario_.node_of(group, rank);
    network_.kill(node);
    this->node(node).die();
    const auto more = static_cast<std::int64_t>(prng_.below(100'000'000));
    network_.schedule(time + Duration(more), [this, node] { come_back(node); });
  }
}

void GroupWorld::come_back(NodeId node) {
  nodes_[static_cast<std::size_t>(node.value())] =
      std::make_unique<GroupNode>(*this, node, prng_.split());
  network_.revive(node);
  this->node(node).start();
}

bool GroupWorld::all_finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node->is_finished(); });
}

bool GroupWorld::step() {
  if (violation_ || all_finished()) return false;
  if (network_.now() > Time{} + kFaultTime + kHealTime) {
    std::string states;
    for (const auto& node : nodes_) states += "; " + node->describe();
    fail("not everyone finished after the faults ended" + states);
    return false;
  }
  ++steps_;
  if (!network_.step()) fail("nothing is left to do, but not everyone finished");
  return !violation_;
}

std::optional<std::string> GroupWorld::run() {
  while (step()) {
  }
  return violation_;
}

}  // namespace godwit::sim
