// bench/collective_bench.h: `godwit bench collective`: starts this program again under mpirun, for
// each number of ranks, and gathers what rank 0 has measured. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/collective_rank.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "report/bench_report.h"

namespace godwit {

struct CollectiveBenchOptions {
  std::string program = "/proc/self/exe";  // godwit
  std::string mpirun = "mpirun";           // found by PATH
  std::vector<int> ranks = {2, 4};
  bool is_quick = false;
  bool has_mpi_defaults = false;  // Open MPI chooses its algorithms itself, instead of the fastest
  std::string case_of;            // as of CollectiveRankOptions
  std::chrono::seconds deadline{600};  // of one number of ranks
  Environment environment;
};

// kUnavailable if mpirun is not there, or a rank fails, with its last words.
Result<> run_collective_bench(const CollectiveBenchOptions& options,
                              const std::function<void(const BenchResult&)>& on_result);

// How rank 0 tells a result, without a line end, and how that is read. kCorruption if it is not
// understood.
std::string to_result_line(const BenchResult& result);
Result<BenchResult> parse_result_line(std::string_view line);

}  // namespace godwit
