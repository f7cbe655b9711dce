// sim/clock_world.h: a job whose reads may not be older than some ticks, in one thread: real state
// machines, simulated network, workers that check what they read. The same seed gives the same
// trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "godwit/table_spec.h"
#include "sim/clock_ledger.h"
#include "sim/clock_replay.h"
#include "sim/faults.h"
#include "sim/network.h"

namespace godwit::sim {

class ClockNode;

// One worker of the job.
struct ClockWorkerPlan {
  std::int64_t node = 0;
  Duration begins_after{};  // of those that no node expects
  bool is_expected = true;
  std::int64_t ticks = 0;    // it does so many
  Duration step_max{};       // one takes up to this
  std::uint32_t stalls = 0;  // of 16 ticks: it sleeps for several steps first
  std::uint32_t leases = 0;  // of 16 operations: rows are changed in place, the rest by pushes
  std::uint32_t reads = 8;   // of 16 operations
};

struct ClockScenario {
  std::int64_t nodes = 2;
  std::vector<ClockWorkerPlan> workers;
  std::uint64_t keys = 4;
  std::uint32_t batch_max = 4;
  std::uint32_t operations_max = 4;  // of a tick
  std::int64_t staleness = 0;
  bool is_bsp = false;  // with a staleness of 0
  Placement placement = Placement::kIntent;
  Faults faults;
  Duration round_max{};         // between rounds of a node
  bool lose_an_update = false;  // the canary: a checker must fire

  TableSpec table_spec() const;
  // That the node expects from tick 0 on.
  std::int64_t workers_expected(std::int64_t node) const;
};

ClockScenario draw_clock_scenario(std::uint64_t seed);

// Each worker adds 1 to its own element of random rows, in ticks, and reads rows. Checked: a read
// in tick c sees all that every worker added in ticks up to c - s - 1, all of its own additions and
// nothing that was not issued; of each worker what it sees has no gap: with a tick all earlier ones
// are there; what it saw never goes back; ticks of any two workers differ by at
// most s + 1; whoever joins begins after all that is stable; at the end every row holds exactly the
// sum of all additions; everyone finishes. In a bsp job a read in tick c sees exactly what a replay
// of all ticks before c by one thread gives, bit for bit, and the worker's own changes since.
class ClockWorld {
 public:
  ClockWorld(std::uint64_t seed, const ClockScenario& scenario);
  explicit ClockWorld(std::uint64_t seed) : ClockWorld(seed, draw_clock_scenario(seed)) {}
  ~ClockWorld();

  bool step();
  std::optional<std::string> run();

  const std::optional<std::string>& violation() const { return violation_; }
  std::uint64_t trace_hash() const { return network_.trace_hash(); }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t reads() const { return reads_; }
  // Of all workers, until others were close enough for a tick to begin.
  Duration waited() const { return waited_; }
  const ClockScenario& scenario() const { return scenario_; }

  // For the nodes.
  Network& network() { return network_; }
  ClockLedger& ledger() { return ledger_; }
  ClockReplay& replay() { return replay_; }
  void fail(const std::string& what);
  void note_read() { ++reads_; }
  void note_wait(Duration waited) { waited_ += waited; }
  // A worker has ended its tick, and is to begin this one; nothing: it ends altogether.
  void note_ended(std::size_t worker, std::optional<Tick> next) { ticks_[worker] = next; }
  void note_begun(std::size_t worker, Tick tick);
  // A worker joins a job whose ticks have begun.
  void check_start(std::size_t worker, Tick tick);
  bool is_settled() const;
  // True once, in a scenario that loses an update.
  bool take_canary() { return std::exchange(canary_, false); }

 private:
  bool all_finished() const;
  void check_end();

  const ClockScenario scenario_;
  Prng prng_;
  Network network_;
  ClockLedger ledger_;
  ClockReplay replay_;
  std::vector<std::optional<Tick>> ticks_;  // of the workers that count
  std::vector<std::unique_ptr<ClockNode>> nodes_;
  std::optional<std::string> violation_;
  std::uint64_t steps_ = 0;
  std::uint64_t reads_ = 0;
  Duration waited_{};
  bool canary_ = false;
};

}  // namespace godwit::sim
