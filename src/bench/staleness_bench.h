// bench/staleness_bench.h: `godwit bench staleness`: how long training takes until it is good
// enough, by how old reads may be and by who is slow.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/staleness_case.h"
#include "godwit/result.h"
#include "report/bench_report.h"

namespace godwit {

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
