// sched/trace.h: jobs from logs of real clusters, as published with other schedulers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/disk.h"
#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/instance.h"

namespace godwit {

struct TraceOptions {
  double slot_seconds = 0;                // 0: what suits the trace
  int slots = 0;                          // the horizon; 0: late enough for all jobs
  std::size_t jobs_max = 0;               // the first ones only; 0: all
  double elastic_factor = 2;              // how many times the workers it wanted a job may use
  std::array<double, 3> mix{10, 55, 35};  // of classes, where the trace has no deadlines
  std::uint64_t seed = 1;                 // of what the trace does not say: utilities and classes
};

// The kind is known by its columns: tiresias, muri, chronus, elasticflow, gavel or pollux (for the
// last, files placements-*.csv beside it give measured speeds). One GPU is one worker;
// jobs without any are left out.
// kInvalidArgument, with file:line: unknown columns, cells that are missing or no numbers, rows
// that are not in the order of time, two of the same job, deadlines before jobs come, times that
// can only be of another unit. Errors of settle_jobs() and Disk::read().
Result<Instance> load_trace(Disk& disk, const std::string& path, const Cluster& cluster,
                            const TraceOptions& options);

}  // namespace godwit
