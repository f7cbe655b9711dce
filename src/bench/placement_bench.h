// bench/placement_bench.h: `godwit bench placement`: how rows come to the nodes that use them,
// policies side by side.
#pragma once

#include <functional>
#include <vector>

#include "bench/placement_node.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "report/bench_report.h"

namespace godwit {

std::vector<Placement> all_policies();

struct PlacementBenchOptions {
  // Each is run with each policy.
  std::vector<PlacementCase> cases;
  std::vector<Placement> policies = all_policies();
  std::size_t repetitions = 3;  // in turns; the median by time is shown
  // Each is also run with intents ten times earlier.
  std::vector<PlacementCase> earlier;
  // Each is also run by one process with as many workers as all of its nodes have.
  std::vector<PlacementCase> together;
  // Each is also run with reads of any age.
  std::vector<PlacementCase> bounded;
  // Here it is seen what intents and accesses cost.
  std::vector<PlacementCase> resident;

  static PlacementBenchOptions full();
  static PlacementBenchOptions quick();
};

// A case with the batch and the number of steps that suit its pattern: about a second.
PlacementCase usual_case(PatternKind kind, std::size_t batch = 0, double compute_ms = 0);
// The same with steps that suit another batch or computation.
void fit_steps(PlacementCase& that);
// As many steps before the timed ones as it takes until no intent is left that was signalled in the
// rush of the beginning.
void fit_warm_up(PlacementCase& that);

// Starts a process for each node. REQUIRES: this process has one thread. kInvalidArgument if a
// case cannot be run, kCorruption if rows do not hold what was added to them.
Result<> run_placement_bench(const PlacementBenchOptions& options,
                             const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
