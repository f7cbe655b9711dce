// sched/job_file.cc: TOML into an instance. The one file here that knows toml++.
#include "sched/job_file.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "sched/slot_room.h"

namespace godwit {
namespace {

const std::vector<std::string> kFileKeys{"slots", "slot_seconds", "machine", "job"};
const std::vector<std::string> kJobKeys{
    "name",    "arrival_s",   "samples", "batch",     "model_mb",      "workers_per_server",
    "workers", "workers_max", "elastic", "sample_ms", "internal_gbit", "external_gbit",
    "worker",  "server",      "utility"};
const std::vector<std::string> kUtilityKeys{"kind", "priority", "urgency_per_hour", "target_s"};

// A table with what is needed to complain about it.
struct Reader {
  const toml::table& table;
  const std::string& path;
  std::string what;  // "job 'a'"

  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", path, node.source().begin.line);
  }

  Result<> check_keys(const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::ranges::find(known, name) != known.end()) continue;
      return invalid_argument("{}: {} has no key '{}'{}", place(node), what, name,
                              did_you_mean(name, known));
    }
    return {};
  }

  // The default, if there is one, when the key is missing.
  Result<double> number(const char* key, double low, double high,
                        std::optional<double> otherwise = std::nullopt,
                        const char* hint = "") const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (otherwise) return *otherwise;
      return invalid_argument("{}: {} needs {}", place(table), what, key);
    }
    const std::optional<double> value = node->value<double>();
    if (!value || !node->is_number() || !std::isfinite(*value)) {
      return invalid_argument("{}: {} of {} is no number", place(*node), key, what);
    }
    if (*value < low || *value > high) {
      return invalid_argument("{}: {} of {} is {}, but must be from {} to {}{}", place(*node), key,
                              what, *value, low, high, hint);
    }
    return *value;
  }
};

Result<Resources> read_amounts(const Reader& job, const char* key, const Cluster& cluster) {
  const toml::node* node = job.table.get(key);
  if (node == nullptr || !node->is_table()) {
    return invalid_argument("{}: {} needs {} = {{ resource = amount }}", job.place(job.table),
                            job.what, key);
  }
  const Reader reader{*node->as_table(), job.path, fmt::format("{} of {}", key, job.what)};
  GODWIT_TRY(reader.check_keys(cluster.resources));
  Resources amounts{};
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    GODWIT_TRY_ASSIGN(amounts[r], reader.number(cluster.resources[r].c_str(), 0, 1e9, 0));
  }
  return amounts;
}

Result<> read_machine(const toml::node& node, const std::string& path, Cluster& cluster,
                      std::set<std::string>& names) {
  const Reader reader{*node.as_table(), path, "a machine"};
  const std::string name = reader.table["name"].value_or(std::string());
  if (name.empty()) return invalid_argument("{}: a machine needs a name", reader.place(node));
  GODWIT_TRY_ASSIGN(const double count, reader.number("count", 1, 1e5, 1));
  Resources capacity{};
  for (const auto& [key, value] : reader.table) {
    const std::string resource(key.str());
    if (resource == "name" || resource == "count") continue;
    int number = cluster.resource_number(resource);
    if (number < 0) {
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

Result<> read_utility(const Reader& job, double slot_seconds, Job& out) {
  const toml::node* node = job.table.get("utility");
  if (node == nullptr || !node->is_table()) {
    return invalid_argument("{}: {} needs utility = {{ kind = ..., priority = ... }}",
                            job.place(job.table), job.what);
  }
  const Reader reader{*node->as_table(), job.path, "utility of " + job.what};
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

Result<> read_speed(const Reader& reader, double slot_seconds, Job& job) {
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

Result<> read_job(const toml::node& node, const std::string& path, Instance& instance,
                  std::set<std::string>& names) {
  Job job;
  job.name = (*node.as_table())["name"].value_or(std::string());
  const Reader reader{*node.as_table(), path, fmt::format("job '{}'", job.name)};
  GODWIT_TRY(reader.check_keys(kJobKeys));
  if (job.name.empty()) return invalid_argument("{}: a job needs a name", reader.place(node));
  if (!names.insert(job.name).second) {
    return invalid_argument("{}: there are two jobs '{}'", reader.place(node), job.name);
  }
  GODWIT_TRY_ASSIGN(const double arrival, reader.number("arrival_s", 0, 1e10, 0));
  job.arrived = arrival / instance.slot_seconds;
  if (job.arrived > instance.slots - 1) {
    return invalid_argument("{}: {} comes after {} s, but all slots are over after {} s",
                            reader.place(node), reader.what, arrival,
                            instance.slots * instance.slot_seconds);
  }
  job.arrival = static_cast<int>(std::ceil(job.arrived - 1e-9));
  GODWIT_TRY_ASSIGN(job.work, reader.number("samples", 1, 1e18));
  GODWIT_TRY(read_speed(reader, instance.slot_seconds, job));
  job.elastic = reader.table["elastic"].value_or(true);
  GODWIT_TRY_ASSIGN(job.worker, read_amounts(reader, "worker", instance.cluster));
  GODWIT_TRY_ASSIGN(job.server, read_amounts(reader, "server", instance.cluster));
  GODWIT_TRY(read_utility(reader, instance.slot_seconds, job));
  if (workers_that_fit(job, instance.cluster, 1) == 0) {
    return invalid_argument("{}: no machine holds a worker and a server of {}", reader.place(node),
                            reader.what);
  }
  instance.jobs.push_back(std::move(job));
  return {};
}

Result<Instance> read_file(const toml::table& file, const std::string& path) {
  const Reader reader{file, path, "the file"};
  GODWIT_TRY(reader.check_keys(kFileKeys));
  Instance instance;
  instance.name = path;
  GODWIT_TRY_ASSIGN(const double slots, reader.number("slots", 1, 60'000));
  GODWIT_TRY_ASSIGN(instance.slot_seconds,
                    reader.number("slot_seconds", 1, 604'800, {}, "; are the units right?"));
  instance.slots = static_cast<int>(slots);
  std::set<std::string> machine_names;
  std::set<std::string> job_names;
  for (const char* kind : {"machine", "job"}) {
    const toml::array* all = file[kind].as_array();
    if (all == nullptr || all->empty()) return invalid_argument("{}: no [[{}]]", path, kind);
    for (const toml::node& node : *all) {
      if (!node.is_table()) return invalid_argument("{}: not [[{}]]", reader.place(node), kind);
      GODWIT_TRY(kind[0] == 'm' ? read_machine(node, path, instance.cluster, machine_names)
                                : read_job(node, path, instance, job_names));
    }
  }
  auto settled = settle_jobs(instance);
  if (!settled.ok()) return std::move(settled).error().in_context(path);
  return instance;
}

}  // namespace

Result<Instance> parse_job_file(std::string_view text, const std::string& path) {
  try {
    return read_file(toml::parse(text), path);
  } catch (const toml::parse_error& error) {
    return invalid_argument("{}:{}: {}", path, error.source().begin.line, error.description());
  }
}

}  // namespace godwit
