// sim/world.h: a whole job in one thread: real state machines, simulated network, checked workers.
// The same seed gives the same trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "godwit/table_spec.h"
#include "sim/faults.h"
#include "sim/network.h"

namespace godwit::sim {

class SimNode;

struct Scenario {
  std::int64_t nodes = 3;
  std::int64_t operations = 40;  // of each worker
  std::uint64_t keys = 20;
  std::uint32_t batch_max = 12;
  std::uint32_t tickets_max = 3;  // requests of a worker under way at once
  Faults faults;
  std::uint32_t leases = 0;  // of 16 operations: one is a lease
  std::uint32_t storms = 0;  // of 16 operations: a row moves for no reason
  Placement placement = Placement::kIntent;
  bool kill_a_node = false;     // in the middle; the others must notice and say so
  bool lose_an_update = false;  // the canary: a checker must fire

  TableSpec table_spec() const;
};

// Has a node killed in the middle, with no other fault that would make a node seem dead.
void make_deadly(Scenario& scenario);

// The scenario of a seed: sizes and faults are drawn from it.
Scenario draw_scenario(std::uint64_t seed);

// What all checkers know: what every worker has added to every key so far.
class Ledger {
 public:
  Ledger(std::int64_t workers, std::uint64_t keys);
  void issued(std::int64_t worker, Key key) { ++counts_[index(worker, key)]; }
  std::int64_t count(std::int64_t worker, Key key) const { return counts_[index(worker, key)]; }

 private:
  std::size_t index(std::int64_t worker, Key key) const;
  std::int64_t workers_;
  std::vector<std::int64_t> counts_;
};

// Each node has one worker, which adds 1 to its own element of random rows and reads rows back.
// Checked: a worker sees its own acknowledged additions and nothing that was not issued; what it
// saw of others never goes back; at the end every row holds exactly the sum of all additions;
// nothing is left waiting or kept; everyone finishes once faults end, or is told who died.
// Meanwhile rows are leased here and there, changed in place, visited, copied and moved.
class World {
 public:
  World(std::uint64_t seed, const Scenario& scenario);
  explicit World(std::uint64_t seed) : World(seed, draw_scenario(seed)) {}
  ~World();

  // Does the next thing. False when the job has ended or a checker has fired.
  bool step();
  // Runs to the end. What a checker said, or nothing.
  std::optional<std::string> run();

  const std::optional<std::string>& violation() const { return violation_; }
  std::uint64_t trace_hash() const { return network_.trace_hash(); }
  std::uint64_t steps() const { return steps_; }
  // Workers that ended because they were told that the job has failed.
  std::int64_t workers_told() const;
  // "godwit sim --seeds 7..7": how to see it again.
  std::string replay_line() const;
  const Scenario& scenario() const { return scenario_; }

  // For the nodes.
  Network& network() { return network_; }
  Ledger& ledger() { return ledger_; }
  void fail(const std::string& what);
  // Nothing about rows is on its way anywhere.
  bool is_settled() const;

 private:
  bool is_dead(NodeId node) const { return killed_ == node; }
  bool all_finished() const;
  bool all_received() const;
  // All that was sent is known to have arrived, where nobody died.
  bool nothing_is_kept() const;
  void check_end();
  // At rest every row has one owner, its home knows where, and all copies are equal to it.
  void check_rows();
  void check_row(TableId table, Key key);

  const std::uint64_t seed_;
  const Scenario scenario_;
  Prng prng_;
  Network network_;
  Ledger ledger_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::optional<std::string> violation_;
  std::uint64_t steps_ = 0;
  std::optional<NodeId> killed_;
};

}  // namespace godwit::sim
