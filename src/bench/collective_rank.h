// bench/collective_rank.h: one rank of `godwit bench collective`: sums by a group against the same
// by MPI and gloo themselves, in turns. Owned by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "godwit/result.h"
#include "report/bench_report.h"

namespace godwit {

struct CollectiveSizes {
  std::size_t large_bytes = std::size_t{64} << 20;
  std::size_t middle_bytes = std::size_t{1} << 20;
  std::size_t list_bytes = std::size_t{20} << 20;  // of 200 unequal tensors
  std::size_t small_tensors = 1000;
  std::size_t repetitions = 15;
  std::size_t repeats = 500;  // of short calls in one repetition
  std::chrono::seconds idle{3};

  static CollectiveSizes full() { return {}; }
  static CollectiveSizes quick();  // whether it works, not how well
};

struct CollectiveRankOptions {
  CollectiveSizes sizes;
  std::string folder;   // where ranks over gloo meet
  std::string case_of;  // only cases whose name has this in it; empty: all
};

// Called by every process that mpirun has started; results come on rank 0 only. kCorruption if a
// sum is wrong. Cases over gloo are left out in a build without it.
Result<> run_collective_rank(const CollectiveRankOptions& options,
                             const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
