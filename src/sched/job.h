// sched/job.h: what a job needs, how fast it trains and what its completion is worth. Values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/cluster.h"
#include "sched/resources.h"
#include "sched/speed_curve.h"
#include "sched/utility.h"

namespace godwit {

using JobIndex = std::uint32_t;

// No job takes longer, and none may: a longer time was given in another unit.
inline constexpr double kYearSeconds = 366 * 86'400.0;

enum class JobClass : std::uint8_t { kInsensitive, kSensitive, kCritical };

struct Job {
  JobIndex index = 0;  // its place in its list
  std::string name;
  int arrival = 0;             // the first slot in which it may run
  double arrived = 0;          // when it came, in slots: at most `arrival`
  double work = 1;             // V, samples
  int workers_max = 1;         // F: no more of them have a sample each; or what its user allows
  int workers_wanted = 1;      // what it runs with under policies that do not choose
  bool elastic = true;         // else it runs with workers_wanted or not at all
  int workers_per_server = 1;  // gamma
  Resources worker{};          // alpha
  Resources server{};          // beta
  SpeedCurve speed;            // what is known of it
  Utility utility;
  JobClass job_class = JobClass::kSensitive;
  std::string place;  // "file:line" where it was read, for messages; may be empty

  int workers_min() const { return elastic ? 1 : workers_wanted; }
  // The fewest servers that may go with that many workers.
  int servers_for(int workers) const {
    return (workers + workers_per_server - 1) / workers_per_server;
  }
  Resources demand(int workers, int servers) const {
    return plus(times(worker, workers), times(server, servers));
  }
  Resources demand(int workers) const { return demand(workers, servers_for(workers)); }
  // Slots for `samples` with that many workers.
  double slots_for(double samples, int workers, bool internal) const {
    return samples / speed.samples(workers, internal);
  }
};

// A machine's share of a job.
struct Share {
  MachineIndex machine = 0;
  int workers = 0;
  int servers = 0;

  friend bool operator==(const Share&, const Share&) = default;
};

// Of one job in one slot: by machine, each once; empty if it does not run.
using JobShares = std::vector<Share>;

inline int workers_of(const JobShares& placement) {
  int workers = 0;
  for (const Share& share : placement) workers += share.workers;
  return workers;
}
inline int servers_of(const JobShares& placement) {
  int servers = 0;
  for (const Share& share : placement) servers += share.servers;
  return servers;
}
// Workers and servers exchange at the internal rate only if all are on one machine.
inline bool is_internal(const JobShares& placement) {
  return placement.size() == 1;
}

}  // namespace godwit
