// sched/instance.h: a cluster and the jobs that come to it: what policies are compared on. Values.
#pragma once

#include <string>
#include <vector>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/job.h"

namespace godwit {

struct Instance {
  std::string name;  // where it is from
  Cluster cluster;
  std::vector<Job> jobs;  // by arrival; job.index is the place here
  int slots = 1;          // T: what is not finished by then is worth nothing
  double slot_seconds = 1;

  // What all jobs need, on one machine each, as a share of what the cluster has from the first
  // arrival until the last, or the horizon if `to_horizon`: above 1 it cannot keep up.
  double load(bool to_horizon) const;
  // "10/55/35 %": insensitive, sensitive, critical.
  std::string class_mix() const;
};

// Sorts jobs by arrival, numbers them and lowers what they want to what the cluster can hold.
// kInvalidArgument, naming the job and where it was read: not even one worker and one server fit
// into the empty cluster; it comes at or after the horizon.
Result<> settle_jobs(Instance& instance);

}  // namespace godwit
