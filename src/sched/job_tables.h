// sched/job_tables.h: the tables [[machine]] and [job] that files of the simulator and of the
// daemon share. Only for the few files that read TOML. Thread-safe: no state.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/job.h"
#include "sched/toml_reader.h"

namespace godwit {

// What a job is read for.
struct JobContext {
  const Cluster& cluster;
  double slot_seconds = 1;
};

// Adds the machines of a table to the cluster; `names` are those of the cluster so far.
Result<> read_machine(const toml::node& node, const std::string& path, Cluster& cluster,
                      std::set<std::string>& names);

// The keys that describe a job, its arrival aside.
const std::vector<std::string>& job_model_keys();
// What job_model_keys() say. REQUIRES: name, arrived and arrival of `job` are set. Left to the
// caller: keys that are not known.
Result<> read_job_model(const TomlReader& reader, const JobContext& context, Job& job);

}  // namespace godwit
