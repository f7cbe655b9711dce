// sim/step_world.h: a job that trains in steps, in one thread: real state machines, simulated
// network, workers that are slow, silent, or gone. The same seed gives the same trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/network.h"
#include "sim/step_replay.h"
#include "sim/step_scenario.h"

namespace godwit::sim {

class StepNode;

// Workers compute sums that depend on samples and parameters. Checked: every sample counts exactly
// once in an epoch, unless somebody stops the steps; every owner's rows are in every step, bit for
// bit, what a plain loop makes of what the leader chose; a result counts once
// and not when it is too old; a worker reads parameters of its step, not older, and not newer than
// the step that its result ends; a worker is told what the leader gave it; everyone finishes, also
// when a node that is no server dies, or loses its way to the leader; if a server dies, or all
// workers do, all others say so, by name.
class StepWorld {
 public:
  StepWorld(std::uint64_t seed, const StepScenario& scenario);
  explicit StepWorld(std::uint64_t seed) : StepWorld(seed, draw_step_scenario(seed)) {}
  ~StepWorld();

  bool step();
  std::optional<std::string> run();

  const std::optional<std::string>& violation() const { return violation_; }
  std::uint64_t trace_hash() const { return network_.trace_hash(); }
  std::uint64_t steps() const { return steps_; }
  const StepScenario& scenario() const { return scenario_; }
  const StepReplay& replay() const { return replay_; }
  Time now() const { return network_.now(); }
  // Faults have ended.
  bool is_healed() const { return is_healed_; }
  // The node that died, if one did.
  std::optional<NodeId> dead() const { return dead_; }
  // The node that lost its way to the leader, if one did.
  std::optional<NodeId> cut_off() const { return cut_off_; }

  // For the nodes.
  Network& network() { return network_; }
  StepReplay& replay() { return replay_; }
  void fail(const std::string& what);
  // A node says that the job cannot go on.
  void note_failure(NodeId node, const Error& why);

 private:
  void plan_death();
  void die(NodeId node);
  bool all_finished() const;

  const StepScenario scenario_;
  Prng prng_;
  Network network_;
  StepReplay replay_;
  std::vector<std::unique_ptr<StepNode>> nodes_;
  std::optional<NodeId> dead_;
  std::optional<NodeId> cut_off_;
  bool may_end_without_workers_ = false;
  bool is_healed_ = false;
  std::optional<std::string> violation_;
  std::uint64_t steps_ = 0;
};

}  // namespace godwit::sim
