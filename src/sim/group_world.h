// sim/group_world.h: a job with groups, in one thread: real state machines, simulated network,
// groups that die and come back or are frozen. The same seed gives the same trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/group_ledger.h"
#include "sim/group_scenario.h"
#include "sim/network.h"

namespace godwit::sim {

class GroupNode;

// What the ranks of a group in one of its lives tell each other, as over MPI.
struct GroupMeeting {
  std::vector<std::uint64_t> steps;               // in which each rank is, or which it has ended
  std::map<std::uint64_t, std::uint64_t> rounds;  // by step: the largest that any was told
};

// Ranks compute, exchange, and go on with what they get. Checked: an exchange is applied exactly
// once, of a life that is over at most once; rows are, bit for bit, what a plain loop makes of what
// was sent; what an elastic exchange gives to a row it takes from the group; a sync round has the
// same groups for all rows of all servers, whole ones, and answers tell the truth about it; what an
// owner believes a rank to know is what it knows; everyone finishes, and nobody gives up.
class GroupWorld {
 public:
  GroupWorld(std::uint64_t seed, const GroupScenario& scenario);
  explicit GroupWorld(std::uint64_t seed) : GroupWorld(seed, draw_group_scenario(seed)) {}
  ~GroupWorld();

  bool step();
  std::optional<std::string> run();

  const std::optional<std::string>& violation() const { return violation_; }
  std::uint64_t trace_hash() const { return network_.trace_hash(); }
  std::uint64_t steps() const { return steps_; }
  const GroupScenario& scenario() const { return scenario_; }
  std::uint64_t deaths() const { return deaths_; }
  std::uint64_t expiries() const { return expiries_; }

  // For the nodes.
  Network& network() { return network_; }
  GroupLedger& ledger() { return ledger_; }
  const GroupLedger& ledger() const { return ledger_; }
  GroupNode& node(NodeId id) { return *nodes_[static_cast<std::size_t>(id.value())]; }
  GroupMeeting& meeting(std::int64_t group) { return *meetings_[static_cast<std::size_t>(group)]; }
  // Steps that a group has done, in all its lives.
  std::uint64_t& progress(std::int64_t group) { return done_[static_cast<std::size_t>(group)]; }
  void fail(const std::string& what);
  void note_expiry() { ++expiries_; }

 private:
  void plan(const GroupTrouble& trouble);
  void kill(std::int64_t group, Duration time);
  void come_back(NodeId node);
  bool all_finished() const;

  const GroupScenario scenario_;
  Prng prng_;
  Network network_;
  GroupLedger ledger_;
  std::vector<std::unique_ptr<GroupMeeting>> meetings_;  // by group; of its present life
  std::vector<std::uint64_t> done_;
  std::vector<std::unique_ptr<GroupNode>> nodes_;
  std::optional<std::string> violation_;
  std::uint64_t steps_ = 0;
  std::uint64_t deaths_ = 0;
  std::uint64_t expiries_ = 0;
};

}  // namespace godwit::sim
