// sched/live_file.h: the files of a running scheduler, in TOML: one of the cluster, one a job.
// docs/scheduling.md shows them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/job.h"

namespace godwit {

struct LiveCluster {
  Cluster cluster;
  int slots = 480;  // how far ahead is planned
  double slot_seconds = 60;
  double restart = 0;  // slots that a job loses when it is moved; at most 0.5
};

// slot_seconds, slots, restart_s and tables [[machine]]. kInvalidArgument, with path:line, as for
// files of the simulator (job_file.h).
Result<LiveCluster> parse_cluster_file(std::string_view text, const std::string& path);

struct LiveJobFile {
  Job model;
  std::vector<std::string> command;  // see live_command.h
  bool has_checkpoints = true;
};

// The keys of a job of the simulator but for arrival_s, and command and checkpoint. `arrived`: now,
// in slots. A node of a training holds rows and trains: what a server takes is counted with the
// workers that it serves, in equal parts, and model.server is nothing.
Result<LiveJobFile> parse_live_job(std::string_view text, const std::string& path,
                                   const LiveCluster& cluster, double arrived);

}  // namespace godwit
