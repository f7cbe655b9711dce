// launch/job_processes.h: the processes of a job wherever their launchers have put them. Open MPI
// gives each rank a process group of its own, MPICH and Slurm a session, and a rank outlives an
// mpirun that was killed; but all have the job's name among the variables they were started with.
// Thread-safe: no state. Processes come and go while /proc is read.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "base/unique_fd.h"
#include "launch/process_table.h"

namespace godwit {

struct JobProcesses {
  std::string job;                    // GODWIT_JOB; empty: only the sessions count
  std::optional<std::int64_t> group;  // GODWIT_GROUP; nothing: any, and the table nodes
  std::set<std::int64_t> sessions;    // whoever is in one belongs to the job too
};

// Without zombies, this process, and wardens: those end by themselves, and have work to do first.
std::vector<ProcessEntry> find_processes(const JobProcesses& wanted);

// Of find_processes(), those that MPI has given a rank: the user's program and what it started, but
// not what launchers have put between.
std::vector<ProcessEntry> find_ranks(const JobProcesses& wanted);

// Readable once the process has ended; not open if it has already.
UniqueFd watch_process(std::int64_t pid);

// Kills all of them and those they start meanwhile, and returns when none is left, or after
// `patience` and some seconds if the system does not let them end. Who ends by itself within
// `patience` is not killed. Blocks.
void kill_processes(const JobProcesses& wanted, Duration patience, const TimeSource& time);

}  // namespace godwit
