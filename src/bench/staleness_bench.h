// bench/staleness_bench.h: `godwit bench staleness`: how long training takes until it is good
// enough, by how old reads may be and by who is slow.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/stragglers.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "report/bench_report.h"

namespace godwit {

// Matrix factorization of a planted low-rank matrix, a batch a tick.
struct StalenessCase {
  std::int64_t nodes = 2;
  std::int64_t workers = 4;  // of each
  std::int64_t ticks = 1200;
  std::size_t batch = 64;   // ratings of each worker in each tick
  double step_ms = 4;       // slept in each tick: stands for computation
  double objective = 0.11;  // root mean square error on what it learns from; noise alone: 0.1
  Straggler straggler = Straggler::kTransient;
  Consistency consistency;

  Result<> validate() const;
};

// "mf/transient/nodes=2x4/step=4ms/ssp:4".
std::string to_string(const StalenessCase& that);

struct StalenessBenchOptions {
  std::vector<StalenessCase> cases;
  std::size_t repetitions = 3;  // in turns; the median by time is shown

  static StalenessBenchOptions full();
  static StalenessBenchOptions quick();
};

// Starts a process for each node. REQUIRES: this process has one thread. The limit of a case is the
// best time of those that differ from it in `consistency` alone, `auto` left out.
Result<> run_staleness_bench(const StalenessBenchOptions& options,
                             const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
