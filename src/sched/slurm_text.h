// sched/slurm_text.h: the words that Slurm's commands take and give. Thread-safe: no state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "sched/backend.h"
#include "sched/life_dir.h"

namespace godwit {

// Machines with equally many nodes of the job are one part of a heterogeneous job, which Slurm
// starts at once: "-N2 -w n1,n3 -n4 --ntasks-per-node=2 : -N1 -w n2 -n1 ...".
// REQUIRES: cpus >= 1, of a node.
std::vector<std::string> sbatch_arguments(const LifeOrder& order, const Cluster& cluster, int cpus,
                                          const std::string& script);
// Of the batch script: hands over to the runner.
std::string batch_script(const std::string& program, const LifeDir& dir);
// One step over all parts; its tasks are the job's nodes, in the order of the parts.
LifeSpec slurm_spec(const LifeOrder& order, const std::string& token);

// A part of a job as squeue tells it.
struct QueuedPart {
  std::string id;     // "12", "12+1"
  std::string state;  // "RUNNING"
  std::string nodes;  // "n[1-2]"; empty while it waits
  std::string why;    // it waits
};
// By the name of the job. `text` is of squeue_arguments().
std::vector<std::string> squeue_arguments();
Result<std::map<std::string, std::vector<QueuedPart>>> parse_squeue(std::string_view text);

// By machine's name: whether jobs may start there. `text` is of sinfo_arguments().
std::vector<std::string> sinfo_arguments();
Result<std::map<std::string, bool>> parse_sinfo(std::string_view text);

}  // namespace godwit
