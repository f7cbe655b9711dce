// bench/train_scaling.h: the same training with the same number of workers on one, two and four
// nodes: what processes and sockets cost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/catalog.h"
#include "godwit/result.h"
#include "report/bench_report.h"

namespace godwit {

struct ScalingCase {
  std::string task;
  std::string data;
  std::vector<std::string> settings;  // "epochs=4"
};

// Of a job.
struct JobShape {
  std::int64_t nodes = 1;
  std::int64_t workers = 4;  // of each node
};

struct ScalingOptions {
  std::vector<JobShape> shapes = {{1, 4}, {2, 2}, {4, 1}};
  std::size_t repetitions = 3;  // in turns; the median by time is shown
};

// Trains with consistency async in a process for each node; the limit is the time of the first
// shape. REQUIRES: this process has one thread. Errors of find_data() and of the task.
Result<> measure_scaling(const ScalingCase& that, const ScalingOptions& options,
                         const Catalog& catalog,
                         const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
