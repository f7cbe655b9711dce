// sched/job_tables.cc: machines and jobs from tables, with their units.
#include "sched/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "sched/slot_room.h"

namespace godwit {
namespace {

const std::vector<std::string> kUtilityKeys{"kind", "priority", "urgency_per_hour", "target_s"};

Result<Resources> read_amounts(const TomlReader& job, const char* key, const Cluster& cluster) {
  const toml::node* node = job.table.get(key);
  if (node == nullptr || !node->is_table()) {
    return invalid_argument("{}: {} needs {} = {{ resource = amount }}", job.place(job.table),
                            job.what, key);
  }
  const TomlReader reader{*node->as_table(), job.path, fmt::format("{} of {}", key, job.what)};
  GODWIT_TRY(reader.check_keys(cluster.resources));
  Resources amounts{};
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    GODWIT_TRY_ASSIGN(amounts[r], reader.number(cluster.resources[r].c_str(), 0, 1e9, 0));
  }
  return amounts;
}

Result<> read_utility(const TomlReader& job, double slot_seconds, Job& out) {
  const toml::node* node = job.table.get("utility");
  if (node == nullptr || !node->is_table()) {
    return invalid_argument("{}: {} needs utility = {{ kind = ..., priority = ... }}",
                            job.place(job.table), job.what);
  }
  const TomlReader reader{*node->as_table(), job.path, "utility of " + job.what};
  GODWIT_TRY(reader.check_keys(kUtilityKeys));
  const std::vector<std::string> kinds{"sigmoid", "deadline", "constant"};
  const std::string kind = reader.table["kind"].value_or(std::string("sigmoid"));
  const auto found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) {
    return invalid_argument("{}: there is no kind '{}' of utility{}; there are {}",
                            reader.place(*node), kind, did_you_mean(kind, kinds),
                            fmt::join(kinds, ", "));
  }
  out.utility.kind = static_cast<Utility::Kind>(found - kinds.begin());
  GODWIT_TRY_ASSIGN(out.utility.priority, reader.number("priority", 0, 1e9));
  out.job_class = JobClass::kInsensitive;
  if (out.utility.kind == Utility::Kind::kConstant) return {};
  GODWIT_TRY_ASSIGN(const double target, reader.number("target_s", 0, 1e9));
  if (out.utility.kind == Utility::Kind::kDeadline) {
    // The last slot that is over in time.
    out.utility.target = std::floor(out.arrived + target / slot_seconds + 1e-9) - 1 - out.arrival;
    out.job_class = JobClass::kCritical;
    return {};
  }
  GODWIT_TRY_ASSIGN(const double urgency, reader.number("urgency_per_hour", 0, 1e6));
  out.utility.urgency = urgency * slot_seconds / 3600;
  out.utility.target = target / slot_seconds;
  if (urgency > 0) out.job_class = JobClass::kSensitive;
  if (out.utility.has_deadline()) out.job_class = JobClass::kCritical;
  return {};
}

Result<> read_speed(const TomlReader& reader, double slot_seconds, Job& job) {
  constexpr const char* kUnits = "; are the units right?";
  GODWIT_TRY_ASSIGN(const double batch, reader.number("batch", 1, 1e9));
  GODWIT_TRY_ASSIGN(const double model, reader.number("model_mb", 1e-6, 1e7, {}, kUnits));
  GODWIT_TRY_ASSIGN(const double per_server, reader.number("workers_per_server", 1, 4096, 1));
  GODWIT_TRY_ASSIGN(const double sample, reader.number("sample_ms", 1e-7, 1e6, {}, kUnits));
  GODWIT_TRY_ASSIGN(const double internal, reader.number("internal_gbit", 1e-3, 1e5, 80, kUnits));
  GODWIT_TRY_ASSIGN(const double external, reader.number("external_gbit", 1e-3, 1e5, 10, kUnits));
  GODWIT_TRY_ASSIGN(const double workers, reader.number("workers", 1, SpeedCurve::kWorkersMax, 1));
  const double most = std::min<double>(batch, SpeedCurve::kWorkersMax);
  GODWIT_TRY_ASSIGN(const double workers_max, reader.number("workers_max", 1, most, most));
  if (workers > workers_max) {
    return invalid_argument("{}: {} wants {} workers, but may have {}", reader.place(reader.table),
                            reader.what, workers, workers_max);
  }
  job.workers_wanted = static_cast<int>(workers);
  job.workers_max = static_cast<int>(workers_max);
  job.workers_per_server = static_cast<int>(per_server);
  job.speed = SpeedCurve::paper({.sample_slots = sample / 1e3 / slot_seconds,
                                 .model_bytes = model * 1e6,
                                 .workers_per_server = job.workers_per_server,
                                 .batch = batch,
                                 .bytes_internal = internal * 1.25e8 * slot_seconds,
                                 .bytes_external = external * 1.25e8 * slot_seconds},
                                job.workers_max);
  return {};
}

}  // namespace

Result<> read_machine(const toml::node& node, const std::string& path, Cluster& cluster,
                      std::set<std::string>& names) {
  const TomlReader reader{*node.as_table(), path, "a machine"};
  const std::string name = reader.table["name"].value_or(std::string());
  if (name.empty()) return invalid_argument("{}: a machine needs a name", reader.place(node));
  GODWIT_TRY_ASSIGN(const double count, reader.number("count", 1, 1e5, 1));
  Resources capacity{};
  for (const auto& [key, value] : reader.table) {
    const std::string resource(key.str());
    if (resource == "name" || resource == "count") continue;
    int number = cluster.resource_number(resource);
    if (number < 0) {
      for (const char* known : {"name", "count"}) {  // all other names are resources
        if (edit_distance(resource, known) > 1) continue;
        return invalid_argument("{}: a machine has no key '{}' (did you mean '{}'?)",
                                reader.place(value), resource, known);
      }
      if (cluster.resources.size() == kResourcesMax) {
        return invalid_argument("{}: more than {} kinds of resources", reader.place(value),
                                kResourcesMax);
      }
      number = static_cast<int>(cluster.resources.size());
      cluster.resources.push_back(resource);
    }
    GODWIT_TRY_ASSIGN(capacity[static_cast<std::size_t>(number)],
                      reader.number(resource.c_str(), 0, 1e9));
  }
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const std::string one = count > 1 ? fmt::format("{}{}", name, i) : name;
    if (!names.insert(one).second) {
      return invalid_argument("{}: there are two machines '{}'", reader.place(node), one);
    }
    cluster.machines.push_back({one, capacity});
  }
  return {};
}

const std::vector<std::string>& job_model_keys() {
  static const std::vector<std::string> keys{
      "samples",     "batch",   "model_mb",  "workers_per_server", "workers",
      "workers_max", "elastic", "sample_ms", "internal_gbit",      "external_gbit",
      "worker",      "server",  "utility"};
  return keys;
}

Result<> read_job_model(const TomlReader& reader, const JobContext& context, Job& job) {
  GODWIT_TRY_ASSIGN(job.work, reader.number("samples", 1, 1e18));
  GODWIT_TRY(read_speed(reader, context.slot_seconds, job));
  GODWIT_TRY_ASSIGN(job.elastic, reader.flag("elastic", true));
  GODWIT_TRY_ASSIGN(job.worker, read_amounts(reader, "worker", context.cluster));
  GODWIT_TRY_ASSIGN(job.server, read_amounts(reader, "server", context.cluster));
  GODWIT_TRY(read_utility(reader, context.slot_seconds, job));
  if (workers_that_fit(job, context.cluster, 1) == 0) {
    return invalid_argument("{}: no machine holds a worker and a server of {}",
                            reader.place(reader.table), reader.what);
  }
  return {};
}

}  // namespace godwit
