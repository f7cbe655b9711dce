// bench/clock_bench.h: `godwit bench clocks`: how long workers wait for each other, by how old
// their reads may be and by who is slow.
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

struct ClockCase {
  std::int64_t nodes = 2;
  std::int64_t workers = 4;  // of each
  std::int64_t ticks = 400;
  std::size_t rows = 64;  // that each worker reads and changes in each tick
  double step_ms = 2;     // slept in each tick: stands for computation
  Straggler straggler = Straggler::kTransient;
  Consistency consistency;

  Result<> validate() const;
};

// "transient/nodes=2x4/rows=64/step=2ms/ssp:4".
std::string to_string(const ClockCase& that);

struct ClockBenchOptions {
  std::vector<ClockCase> cases;
  std::size_t repetitions = 3;  // in turns; the median by time is shown

  static ClockBenchOptions full();
  static ClockBenchOptions quick();
};

// Starts a process for each node. REQUIRES: this process has one thread. kCorruption if rows do not
// hold what was added to them, or if a read was older than allowed, or
// newer in a bsp table.
Result<> run_clock_bench(const ClockBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
