// sched/job_tables.cc: machines and jobs from tables, with their units.
#include "sched/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/try.h"
#include "sched/slot_room.h"
#include "sched/speed_fit.h"

namespace godwit {
namespace {

constexpr const char* kUnits = "; are the units right?";
const std::vector<std::string> kUtilityKeys{"kind", "priority", "urgency_per_hour", "target_s"};
// As many as the fit has terms.
constexpr std::size_t kMeasuredMin = 5;
constexpr double kStepSecondsMin = 1e-6;
constexpr double kStepSecondsMax = 86'400;

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
  GODWIT_TRY_ASSIGN(const std::string kind, reader.text("kind", "sigmoid"));
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
  GODWIT_TRY_ASSIGN(const double target, reader.number("target_s", 0, kYearSeconds, {}, kUnits));
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

// How many workers and servers; returns the batch.
Result<int> read_counts(const TomlReader& reader, Job& job) {
  GODWIT_TRY_ASSIGN(const int batch, reader.whole("batch", 1, 1'000'000'000));
  GODWIT_TRY_ASSIGN(job.workers_per_server, reader.whole("workers_per_server", 1, 4096, 1));
  GODWIT_TRY_ASSIGN(job.workers_wanted, reader.whole("workers", 1, SpeedCurve::kWorkersMax, 1));
  const int most = std::min(batch, SpeedCurve::kWorkersMax);
  GODWIT_TRY_ASSIGN(job.workers_max, reader.whole("workers_max", 1, most, most));
  if (job.workers_wanted > job.workers_max) {
    return invalid_argument("{}: {} wants {} workers, but may have {}", reader.place(reader.table),
                            reader.what, job.workers_wanted, job.workers_max);
  }
  return batch;
}

Result<SpeedCurve> read_paper_speed(const TomlReader& reader, double slot_seconds, int batch,
                                    const Job& job) {
  GODWIT_TRY_ASSIGN(const double model, reader.number("model_mb", 1e-6, 1e7, {}, kUnits));
  GODWIT_TRY_ASSIGN(const double sample, reader.number("sample_ms", 1e-7, 1e6, {}, kUnits));
  GODWIT_TRY_ASSIGN(const double internal, reader.number("internal_gbit", 1e-3, 1e5, 80, kUnits));
  GODWIT_TRY_ASSIGN(const double external, reader.number("external_gbit", 1e-3, 1e5, 10, kUnits));
  return SpeedCurve::paper({.sample_slots = sample / 1e3 / slot_seconds,
                            .model_bytes = model * 1e6,
                            .workers_per_server = job.workers_per_server,
                            .batch = static_cast<double>(batch),
                            .bytes_internal = internal * 1.25e8 * slot_seconds,
                            .bytes_external = external * 1.25e8 * slot_seconds},
                           job.workers_max);
}

// One row [workers, servers, seconds].
Result<MeasuredStep> read_step(const TomlReader& reader, const char* key, const toml::node& node,
                               double slot_seconds) {
  const toml::array* row = node.as_array();
  std::vector<double> numbers;
  for (std::size_t i = 0; row != nullptr && i < row->size(); ++i) {
    const toml::node& cell = *row->get(i);
    const std::optional<double> number = cell.value<double>();
    if (number && cell.is_number()) numbers.push_back(*number);
  }
  if (row == nullptr || row->size() != 3 || numbers.size() != 3) {
    return invalid_argument("{}: a row of {} of {} is not [workers, servers, seconds]",
                            reader.place(node), key, reader.what);
  }
  for (const double count : {numbers[0], numbers[1]}) {
    if (count >= 1 && count <= SpeedCurve::kWorkersMax && count == std::floor(count)) continue;
    return invalid_argument(
        "{}: {} of {} has {} workers or servers, but must have whole numbers from 1 to {}",
        reader.place(node), key, reader.what, count, SpeedCurve::kWorkersMax);
  }
  if (!(numbers[2] >= kStepSecondsMin && numbers[2] <= kStepSecondsMax)) {
    return invalid_argument("{}: {} of {} has a step of {} s, but it must be from {} to {}{}",
                            reader.place(node), key, reader.what, numbers[2], kStepSecondsMin,
                            kStepSecondsMax, kUnits);
  }
  return MeasuredStep{numbers[0], numbers[1], numbers[2] / slot_seconds};
}

// REQUIRES: the key is there.
Result<FittedSpeed> read_steps(const TomlReader& reader, const char* key, double slot_seconds) {
  const toml::node& node = *reader.table.get(key);
  if (!node.is_array()) {
    return invalid_argument("{}: {} of {} is no list of rows [workers, servers, seconds]",
                            reader.place(node), key, reader.what);
  }
  std::vector<MeasuredStep> steps;
  std::set<std::pair<double, double>> counts;
  for (const toml::node& row : *node.as_array()) {
    GODWIT_TRY_ASSIGN(const MeasuredStep step, read_step(reader, key, row, slot_seconds));
    counts.insert({step.workers, step.servers});
    steps.push_back(step);
  }
  if (counts.size() < kMeasuredMin) {
    return invalid_argument(
        "{}: {} of {} has {} of workers and servers, but a fit of {} terms needs {}",
        reader.place(node), key, reader.what, counted(counts.size(), "pair"), kMeasuredMin,
        kMeasuredMin);
  }
  return fit_speed(steps);
}

Result<SpeedCurve> read_fitted_speed(const TomlReader& reader, double slot_seconds, int batch,
                                     const Job& job) {
  for (const char* key : {"sample_ms", "model_mb", "internal_gbit", "external_gbit"}) {
    const toml::node* node = reader.table.get(key);
    if (node == nullptr) continue;
    return invalid_argument(
        "{}: {} has measured and {}: the speed is either fitted to what was measured or computed",
        reader.place(*node), reader.what, key);
  }
  GODWIT_TRY_ASSIGN(const FittedSpeed external, read_steps(reader, "measured", slot_seconds));
  FittedSpeed internal = external;
  if (reader.table.contains("measured_internal")) {
    GODWIT_TRY_ASSIGN(internal, read_steps(reader, "measured_internal", slot_seconds));
  }
  return SpeedCurve::fitted(internal, external, batch, job.workers_per_server, job.workers_max);
}

Result<> read_speed(const TomlReader& reader, double slot_seconds, Job& job) {
  GODWIT_TRY_ASSIGN(const int batch, read_counts(reader, job));
  const bool is_measured = reader.table.contains("measured");
  if (const toml::node* node = reader.table.get("measured_internal"); node && !is_measured) {
    return invalid_argument("{}: {} has measured_internal, but not measured", reader.place(*node),
                            reader.what);
  }
  GODWIT_TRY_ASSIGN(job.speed, is_measured ? read_fitted_speed(reader, slot_seconds, batch, job)
                                           : read_paper_speed(reader, slot_seconds, batch, job));
  return {};
}

// A factor of a thousand is within the range of each number; what they come to tells it.
Result<> check_duration(const TomlReader& reader, double slot_seconds, const Job& job) {
  const int most = job.elastic ? job.workers_max : job.workers_wanted;
  const double speed = std::max(job.speed.samples(most, true), job.speed.samples(most, false));
  const double seconds = job.work / speed * slot_seconds;
  if (seconds <= kYearSeconds) return {};
  const char* key = "measured";
  const char* mistake = "are its steps in milliseconds instead of seconds?";
  if (!reader.table.contains(key)) {
    GODWIT_TRY_ASSIGN(const double sample, reader.number("sample_ms", 0, 1e9));
    const bool computes = job.work * sample / 1e3 / most > seconds / 2;
    key = computes ? "sample_ms" : "model_mb";
    mistake = computes ? "is sample_ms in microseconds?" : "is model_mb in kilobytes?";
  }
  return invalid_argument("{}: {} takes {:.0f} days even with its {}; {}",
                          reader.place(*reader.table.get(key)), reader.what, seconds / 86'400,
                          counted(static_cast<std::size_t>(most), "worker"), mistake);
}

}  // namespace

Result<> read_machine(const toml::node& node, const std::string& path, Cluster& cluster,
                      std::set<std::string>& names) {
  const TomlReader reader{*node.as_table(), path, "a machine"};
  const std::string name = reader.table["name"].value_or(std::string());
  if (name.empty()) return invalid_argument("{}: a machine needs a name", reader.place(node));
  GODWIT_TRY_ASSIGN(const int count, reader.whole("count", 1, 100'000, 1));
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
  for (int i = 0; i < count; ++i) {
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
      "samples",       "batch",         "model_mb", "workers_per_server",
      "workers",       "workers_max",   "elastic",  "sample_ms",
      "internal_gbit", "external_gbit", "measured", "measured_internal",
      "worker",        "server",        "utility"};
  return keys;
}

Result<> read_job_model(const TomlReader& reader, const JobContext& context, Job& job) {
  GODWIT_TRY_ASSIGN(job.work, reader.number("samples", 1, 1e18));
  GODWIT_TRY_ASSIGN(job.elastic, reader.flag("elastic", true));
  GODWIT_TRY(read_speed(reader, context.slot_seconds, job));
  GODWIT_TRY(check_duration(reader, context.slot_seconds, job));
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
