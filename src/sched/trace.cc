// sched/trace.cc: rows of each kind of trace into jobs.
#include "sched/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/prng.h"
#include "base/try.h"
#include "sched/csv_table.h"
#include "sched/trace_models.h"

namespace godwit {
namespace {

constexpr int kSlotsMax = 60'000;
// Up to so many workers a job of a trace is taken to have been on one machine.
constexpr int kWorkersTogether = 8;
// A second: 10 Gbit between machines, 100 Gbit on one.
constexpr double kExternalBytes = 1.25e9;
constexpr double kInternalBytes = 12.5e9;
// Duration in slots to which the urgencies of the paper belong: the middle of its targets.
constexpr double kTypicalTarget = 8;

struct Kind {
  std::string_view name;
  std::vector<std::string_view> columns;  // that tell it, and must be there
  double slot_seconds;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"muri",
       {"num_gpu", "submit_time", "model_name", "batch_size", "duration", "iteration_time"},
       3600},
      {"chronus",
       {"num_gpu", "submit_time", "model_name", "duration", "expect_time_list", "expect_value_list",
        "best_effort"},
       60},
      {"elasticflow",
       {"submit_time", "model_name", "ddl", "batch_size", "num_gpu", "real_duration"},
       900},
      {"gavel", {"job_type", "batch_size", "total_steps", "arrival_s", "num_gpu"}, 3600},
      {"pollux", {"name", "time", "application", "num_replicas", "batch_size"}, 300},
      {"tiresias", {"job_id", "num_gpu", "submit_time", "model_name", "duration"}, 30},
  };
  return all;
}

Result<const Kind*> kind_of(const CsvTable& table, const std::string& path) {
  const Kind* nearest = nullptr;
  std::size_t fewest = 1000;
  for (const Kind& kind : kinds()) {
    std::size_t missing = 0;
    for (const std::string_view column : kind.columns) missing += table.has(column) ? 0 : 1;
    if (missing == 0) return &kind;
    if (missing < fewest) {
      fewest = missing;
      nearest = &kind;
    }
  }
  for (const std::string_view column : nearest->columns) {
    if (table.has(column)) continue;
    return invalid_argument(
        "{}:1: no kind of trace that is known; for {} the column {} is "
        "missing{}",
        path, nearest->name, column, did_you_mean(column, table.columns()));
  }
  return invalid_argument("{}:1: no kind of trace that is known", path);
}

// What a row says, in seconds.
struct Row {
  std::string name;
  double submitted = 0;
  int workers = 1;
  std::string model;
  double batch = 0;     // of the whole job; 0: by its model
  double duration = 0;  // with `workers`; 0: by `samples`
  double samples = 0;
  std::optional<double> deadline;  // after it came
  std::optional<double> value;
  bool no_deadline = false;  // the trace has deadlines, this job has none
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Result<double> seconds_at(const CsvTable& table, std::size_t row, std::string_view column,
                          double unit) {
  GODWIT_TRY_ASSIGN(const double value, table.number(row, column, 0, 1e15));
  const double seconds = value * unit;
  if (seconds > kYearSeconds) {
    return invalid_argument("{}: {} is {}, more than a year; is it in milliseconds?",
                            table.place(row), column, value);
  }
  return seconds;
}

Result<int> count_at(const CsvTable& table, std::size_t row, std::string_view column) {
  GODWIT_TRY_ASSIGN(const double value, table.number(row, column, 0, SpeedCurve::kWorkersMax));
  if (value == std::floor(value)) return static_cast<int>(value);
  return invalid_argument("{}: {} is {}, but must be a whole number", table.place(row), column,
                          value);
}

Result<Row> read_row(const CsvTable& table, std::size_t i, std::string_view kind) {
  Row row;
  const bool is_pollux = kind == "pollux";
  const bool is_gavel = kind == "gavel";
  const double unit = kind == "muri" ? 1e-3 : 1;
  row.name = is_pollux             ? table.text(i, "name")
             : table.has("job_id") ? table.text(i, "job_id")
                                   : fmt::format("{}", i);
  GODWIT_TRY_ASSIGN(row.submitted, seconds_at(table, i,
                                              is_pollux  ? "time"
                                              : is_gavel ? "arrival_s"
                                                         : "submit_time",
                                              unit));
  GODWIT_TRY_ASSIGN(row.workers, count_at(table, i, is_pollux ? "num_replicas" : "num_gpu"));
  row.model = lower(table.text(i, is_pollux  ? "application"
                                  : is_gavel ? "job_type"
                                             : "model_name"));
  // Gavel's log has none where a model has but one.
  if (is_gavel && table.text(i, "batch_size").empty()) {
    row.batch = find_trace_model(row.model).batch * row.workers;
  } else if (table.has("batch_size")) {
    GODWIT_TRY_ASSIGN(const double batch, table.number(i, "batch_size", 1, 1e7));
    row.batch = is_pollux ? batch : batch * row.workers;
  }
  if (is_gavel) {
    GODWIT_TRY_ASSIGN(const double steps, table.number(i, "total_steps", 1, 1e12));
    row.samples = steps * row.batch;
  } else if (!is_pollux) {
    GODWIT_TRY_ASSIGN(
        row.duration,
        seconds_at(table, i, kind == "elasticflow" ? "real_duration" : "duration", unit));
  }
  if (kind == "elasticflow") {
    GODWIT_TRY_ASSIGN(const double due, seconds_at(table, i, "ddl", unit));
    if (due < row.submitted) {
      return invalid_argument("{}: ddl is {} s, before submit_time, {} s", table.place(i), due,
                              row.submitted);
    }
    row.deadline = due - row.submitted;
  }
  if (kind == "chronus") {
    GODWIT_TRY_ASSIGN(row.value, table.number(i, "expect_value_list", 0, 1e9));
    row.no_deadline = table.text(i, "best_effort") != "0";
    if (!row.no_deadline) {
      GODWIT_TRY_ASSIGN(row.deadline, table.number(i, "expect_time_list", 0, kYearSeconds));
    }
  }
  return row;
}

void set_demands(const Cluster& cluster, const TraceModel& model, Job& job) {
  const auto set = [&](Resources& demand, const char* name, double amount) {
    if (const int number = cluster.resource_number(name); number >= 0) {
      demand[static_cast<std::size_t>(number)] = amount;
    }
  };
  set(job.worker, "gpu", 1);
  set(job.worker, "cpu", 4);
  set(job.worker, "memory", 16);
  set(job.worker, "storage", 8);
  set(job.server, "cpu", 4);
  // Parameters and what rules keep beside them, with room to exchange.
  set(job.server, "memory", std::max(2.0, std::round(model.megabytes / 1000 * 24)));
  set(job.server, "storage", 8);
}

void set_utility(const Row& row, const TraceOptions& options, double slot_seconds, double alone,
                 Prng& prng, Job& job) {
  const double priority = 1 + 99 * prng.uniform();
  const double x = 100 * prng.uniform();
  const double slack = 1.5 + 1.5 * prng.uniform();
  const double sensitive = 0.01 + 0.99 * prng.uniform();
  const double critical = 4 + 2 * prng.uniform();
  if (row.deadline) {
    job.job_class = JobClass::kCritical;
    const double last = std::floor((row.submitted + *row.deadline) / slot_seconds + 1e-9) - 1;
    job.utility = {.kind = Utility::Kind::kDeadline,
                   .priority = row.value.value_or(priority),
                   .target = last - job.arrival};
    return;
  }
  if (row.no_deadline) {
    job.job_class = JobClass::kInsensitive;
    job.utility = {.kind = Utility::Kind::kConstant, .priority = row.value.value_or(priority) / 2};
    return;
  }
  job.job_class = x < options.mix[0]                    ? JobClass::kInsensitive
                  : x < options.mix[0] + options.mix[1] ? JobClass::kSensitive
                                                        : JobClass::kCritical;
  const double target = std::max(1.0, alone * slack);
  const double stretch = std::min(1.0, kTypicalTarget / target);
  double urgency = 0;
  if (job.job_class == JobClass::kSensitive) urgency = sensitive * stretch;
  if (job.job_class == JobClass::kCritical) urgency = critical * stretch;
  job.utility = {
      .kind = Utility::Kind::kSigmoid, .priority = priority, .urgency = urgency, .target = target};
}

Result<Job> job_of(const Row& row, const Cluster& cluster, const TraceOptions& options,
                   double slot_seconds, const ProfiledSpeed* profile, Prng& prng) {
  const TraceModel& model = find_trace_model(row.model);
  Job job;
  job.name = row.name;
  job.arrived = row.submitted / slot_seconds;
  job.arrival = static_cast<int>(std::ceil(job.arrived - 1e-9));
  job.workers_wanted = row.workers;
  const double batch = row.batch > 0 ? row.batch : model.batch * row.workers;
  job.workers_max = static_cast<int>(
      std::clamp(std::floor(row.workers * options.elastic_factor), static_cast<double>(row.workers),
                 std::max<double>(row.workers, std::min<double>(batch, SpeedCurve::kWorkersMax))));
  job.elastic = job.workers_max > job.workers_wanted || job.workers_wanted == 1;
  job.workers_per_server =
      static_cast<int>(std::clamp(std::round(553 / model.megabytes), 1.0, 10.0));
  job.speed = profile != nullptr
                  ? profile->curve(batch, job.workers_max, slot_seconds)
                  : SpeedCurve::paper({.sample_slots = model.sample_seconds / slot_seconds,
                                       .model_bytes = model.megabytes * 1e6,
                                       .workers_per_server = job.workers_per_server,
                                       .batch = batch,
                                       .bytes_internal = kInternalBytes * slot_seconds,
                                       .bytes_external = kExternalBytes * slot_seconds},
                                      job.workers_max);
  const bool internal = row.workers <= kWorkersTogether;
  const double speed = job.speed.samples(row.workers, internal);
  job.work = row.samples > 0    ? row.samples
             : row.duration > 0 ? row.duration / slot_seconds * speed
                                : model.samples;
  job.work = std::max(job.work, 1.0);
  set_demands(cluster, model, job);
  set_utility(row, options, slot_seconds, job.work / speed, prng, job);
  return job;
}

Result<std::map<std::string, ProfiledSpeed>> read_profiles(Disk& disk, const std::string& path,
                                                           const CsvTable& table) {
  std::map<std::string, ProfiledSpeed> profiles;
  const auto slash = path.rfind('/');
  const std::string dir = slash == std::string::npos ? "." : path.substr(0, slash);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string name = table.text(i, "application");
    if (profiles.contains(name)) continue;
    GODWIT_TRY_ASSIGN(profiles[name],
                      read_profile(disk, fmt::format("{}/placements-{}.csv", dir, name)));
  }
  return profiles;
}

}  // namespace

Result<Instance> load_trace(Disk& disk, const std::string& path, const Cluster& cluster,
                            const TraceOptions& options) {
  GODWIT_TRY_ASSIGN(const CsvTable table, CsvTable::read(disk, path));
  GODWIT_TRY_ASSIGN(const Kind* kind, kind_of(table, path));
  std::map<std::string, ProfiledSpeed> profiles;
  if (kind->name == "pollux") {
    GODWIT_TRY_ASSIGN(profiles, read_profiles(disk, path, table));
  }
  Instance instance;
  instance.cluster = cluster;
  instance.slot_seconds = options.slot_seconds > 0 ? options.slot_seconds : kind->slot_seconds;
  const auto slash = path.rfind('/');
  instance.name = slash == std::string::npos ? path : path.substr(slash + 1);
  double before = 0;
  double longest = 1;
  std::map<std::string, std::size_t> row_of;  // by name
  std::size_t without_gpu = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (options.jobs_max > 0 && instance.jobs.size() == options.jobs_max) break;
    GODWIT_TRY_ASSIGN(const Row row, read_row(table, i, kind->name));
    if (row.submitted < before) {
      return invalid_argument("{}: came after {} s, but the row before after {} s; sort the trace",
                              table.place(i), row.submitted, before);
    }
    before = row.submitted;
    if (const auto [first, is_new] = row_of.try_emplace(row.name, i); !is_new) {
      return invalid_argument("{}: there is another job '{}', at {}", table.place(i), row.name,
                              table.place(first->second));
    }
    if (row.workers == 0) {
      ++without_gpu;
      continue;
    }
    const auto profile = profiles.find(row.model);
    Prng prng(mix64(options.seed, i));
    auto job = job_of(row, cluster, options, instance.slot_seconds,
                      profile == profiles.end() ? nullptr : &profile->second, prng);
    if (!job.ok()) return std::move(job).error().in_context(table.place(i));
    job->place = table.place(i);
    const bool internal = job->workers_wanted <= kWorkersTogether;
    longest = std::max(longest, job->slots_for(job->work, job->workers_wanted, internal));
    instance.jobs.push_back(std::move(job).value());
  }
  if (instance.jobs.empty()) return invalid_argument("{}: no job has a GPU", path);
  if (without_gpu > 0) {
    instance.name += fmt::format(" (without {} that have no GPU)", counted(without_gpu, "job"));
  }
  const double horizon = instance.jobs.back().arrival + 64 + 2 * std::ceil(longest);
  if (options.slots == 0 && horizon > kSlotsMax) {
    return invalid_argument("{}: {:.0f} slots of {} s; choose longer ones (--slot)", path, horizon,
                            instance.slot_seconds);
  }
  instance.slots = options.slots > 0 ? options.slots : static_cast<int>(horizon);
  GODWIT_TRY(settle_jobs(instance));
  return instance;
}

}  // namespace godwit
