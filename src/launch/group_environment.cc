// launch/group_environment.cc: the variables in the table of rank_place.h.
#include "launch/group_environment.h"

#include "launch/mpi_launcher.h"

namespace godwit {

Environment job_environment(const GroupShape& shape, Environment environment,
                            const std::string& job, const std::string& rendezvous,
                            const std::string& token) {
  forget_place(environment);
  environment["GODWIT_NODES"] = std::to_string(shape.nodes());
  environment["GODWIT_SERVERS"] = std::to_string(shape.servers);
  environment["GODWIT_GROUPS"] = std::to_string(shape.groups);
  environment["GODWIT_JOB"] = job;
  environment["GODWIT_RENDEZVOUS"] = rendezvous;
  environment["GODWIT_TOKEN"] = token;
  return environment;
}

Environment server_environment(Environment job, std::int64_t node) {
  job["GODWIT_ROLE"] = "server";
  job["GODWIT_NODE"] = std::to_string(node);
  return job;
}

Environment rank_environment(const GroupShape& shape, Environment job, std::int64_t group,
                             std::int64_t life) {
  job["GODWIT_ROLE"] = "rank";
  job["GODWIT_GROUP"] = std::to_string(group);
  job["GODWIT_GROUP_LIFE"] = std::to_string(life);
  job["GODWIT_NODE_BASE"] = std::to_string(shape.servers + group * shape.ranks_per_group);
  return job;
}

}  // namespace godwit
