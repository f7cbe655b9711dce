// launch/group_launcher.h: runs a command as the table nodes and the groups of one job: table nodes
// as processes of their own, each group as an MPI job of its own, so that the end of one rank ends
// no more than its group. Not thread-safe: call it from a thread without others that take signals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/group_environment.h"
#include "launch/group_lives.h"
#include "launch/group_supervisor.h"
#include "launch/launch_outcome.h"
#include "launch/mpi_launcher.h"

namespace godwit {

struct GroupLaunchOptions {
  GroupShape shape;            // at least 1 of each, at most kNodesMax nodes in all
  std::optional<MpiKind> mpi;  // nothing: see find_mpi_launcher()
  RestartPolicy restarts;
  std::vector<std::string> command;
  // Words before those that start a group, such as {"numactl", "-N", "{group}"}: {group} is its
  // number. Table nodes run where this process does.
  std::vector<std::string> group_prefix;
  // "tcp:HOST:PORT", where table node 0 listens; empty: see meeting_point().
  std::string rendezvous;
  // All get it without what other launchers said, plus what rank_place.h lists and GODWIT_JOB,
  // GODWIT_RENDEZVOUS and GODWIT_TOKEN (random, of this job only).
  Environment environment;
  // Table node 0 has this process's own output and errors; it is not relayed.
  bool first_speaks = false;
  bool writes_logs = true;
  std::string log_dir;  // for node-0.log, group-0.log, ...; empty: godwit-logs/<job>
  GroupSupervisorOptions supervision;
};

// Returns when no process of the job is left. kInvalidArgument or kNotFound (the command, mpirun):
// nothing was started. kUnavailable if the system refuses; what had been started is ended.
Result<GroupLaunchOutcome> launch_groups(const GroupLaunchOptions& options, Disk& disk,
                                         const TimeSource& time);

// Where table node 0, on this `host`, and the ranks meet: a socket in `dir`, or if Slurm may put
// ranks on other hosts a port of this one.
std::string meeting_point(MpiKind kind, const Environment& environment, const std::string& host,
                          const std::string& dir, std::uint64_t random);

}  // namespace godwit
