// launch/group_environment.h: what the processes of a job with groups are told about their places;
// rank_place.h reads it. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

#include "launch/environment.h"

namespace godwit {

struct GroupShape {
  std::int64_t servers = 1;  // table nodes
  std::int64_t groups = 1;
  std::int64_t ranks_per_group = 1;

  std::int64_t nodes() const { return servers + groups * ranks_per_group; }
};

// Of all processes of the job: `environment` without what other launchers said about a place.
Environment job_environment(const GroupShape& shape, Environment environment,
                            const std::string& job, const std::string& rendezvous,
                            const std::string& token);

// Of one table node, from that of the job.
Environment server_environment(Environment job, std::int64_t node);

// Of a life of a group, from that of the job; MPI adds the rank.
Environment rank_environment(const GroupShape& shape, Environment job, std::int64_t group,
                             std::int64_t life);

}  // namespace godwit
