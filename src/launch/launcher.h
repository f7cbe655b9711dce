// launch/launcher.h: runs N copies of a command as the nodes of one job on this host.
// Not thread-safe: call it from a thread without others that take signals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/launch_outcome.h"
#include "launch/supervisor.h"

namespace godwit {

struct LaunchOptions {
  std::int64_t nodes = 1;  // 1 to kNodesMax
  std::vector<std::string> command;
  // The nodes get it without what other launchers said, plus GODWIT_NODE, GODWIT_NODES, GODWIT_JOB,
  // GODWIT_RENDEZVOUS and GODWIT_TOKEN (random, of this job only).
  Environment environment;
  // Node 0 speaks for the job: its output goes where ours goes, a terminal too, neither tagged nor
  // logged.
  bool first_speaks = false;
  bool writes_logs = true;
  std::string log_dir;  // for node-0.log, ...; empty: godwit-logs/<job>
  SupervisorOptions supervision;
};

// Returns when no process of the job is left. kInvalidArgument or kNotFound (the command):
// nothing was started. kUnavailable if the system refuses; what had been started is ended.
Result<LaunchOutcome> launch(const LaunchOptions& options, Disk& disk, const TimeSource& time);

}  // namespace godwit
