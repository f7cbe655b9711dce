// sched/sched_daemon.cc: look, plan, write, act: in this order, again and again.
#include "sched/sched_daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "sched/explain.h"
#include "sched/run_progress.h"

namespace godwit {
namespace {

// An order that shows no effect is given again.
constexpr std::int64_t kOrderAgainMs = 5'000;
// How long processes that were told to end at once may take.
constexpr std::int64_t kKillPatienceMs = 10'000;
// How often progress is read, at most and at least; else ten times a slot.
constexpr std::int64_t kProgressEveryMs = 500;
constexpr std::int64_t kProgressLateMs = 10'000;

}  // namespace

SchedDaemon::SchedDaemon(const SchedDaemonOptions& options, const LiveCluster& cluster,
                         Backend& backend, Disk& disk, const Log& log, SchedStore store,
                         LivePlanner planner)
    : options_(options),
      cluster_(cluster),
      backend_(backend),
      disk_(disk),
      log_(log),
      store_(std::move(store)),
      planner_(std::move(planner)),
      book_(cluster.cluster),
      backend_up_(cluster.cluster.machine_count(), 1) {}

Result<std::unique_ptr<SchedDaemon>> SchedDaemon::make(const SchedDaemonOptions& options,
                                                       const LiveCluster& cluster, Backend& backend,
                                                       Disk& disk, const Log& log,
                                                       std::int64_t now_ms) {
  GODWIT_TRY_ASSIGN(LivePlanner planner, LivePlanner::make(cluster, options.policy));
  GODWIT_TRY_ASSIGN(SchedStore store,
                    SchedStore::open(options.state + "/sched.sqlite", cluster.cluster, now_ms));
  std::unique_ptr<SchedDaemon> daemon(  // NOLINT: its constructor is private
      new SchedDaemon(options, cluster, backend, disk, log, std::move(store), std::move(planner)));
  GODWIT_TRY(daemon->restore());
  return daemon;
}

Result<> SchedDaemon::restore() {
  GODWIT_TRY_ASSIGN(std::vector<JobRecord> records, store_.jobs());
  GODWIT_TRY_ASSIGN(drained_, store_.drained());
  for (JobRecord& record : records) {
    const double arrived = slots_at(record.submitted_ms);
    auto file = parse_live_job(record.file, record.path, cluster_, arrived);
    if (!file.ok() && !is_over(record.phase)) {
      return std::move(file).error().in_context(
          fmt::format("job {} does not fit the cluster any more", record.id));
    }
    LiveJob job{.record = std::move(record)};
    if (file.ok()) {
      job.model = std::move(file->model);
      if (!is_over(job.record.phase)) commands_[job.record.id] = std::move(file->command);
    }
    book_.restore(std::move(job));
  }
  return {};
}

double SchedDaemon::slots_at(std::int64_t now_ms) const {
  const double seconds = static_cast<double>(now_ms - store_.begin_ms()) / 1000;
  return std::max(0.0, seconds / cluster_.slot_seconds);
}

std::string SchedDaemon::run_dir(std::int64_t job) const {
  return fmt::format("{}/jobs/{}/run", options_.state, job);
}

LifeId SchedDaemon::life_of(const JobRecord& record) const {
  return {fmt::format("godwit-{}-{}.{}", store_.name(), record.id, record.incarnation),
          fmt::format("{}/jobs/{}/life-{}", options_.state, record.id, record.incarnation)};
}

// The life before has ended when this is asked: what it has saved stays as it is.
LifeOrder SchedDaemon::order_for(const LiveJob& job) const {
  LifeOrder order{.life = life_of(job.record),
                  .layout = layout_of(job.record.placement),
                  .cwd = job.record.dir};
  const std::string run = run_dir(job.record.id);
  const bool resumes = job.record.has_checkpoints && has_checkpoint(disk_, run);
  if (!resumes) order.new_run = run;
  order.command = expand_command(commands_.at(job.record.id), order.layout, run, resumes);
  if (order.command[0] == "godwit") order.command[0] = options_.program;
  order.node_demand = times(job.model.worker, order.layout.workers);
  return order;
}

std::vector<char> SchedDaemon::machines_up() const {
  std::vector<char> up = backend_up_;
  for (MachineIndex h = 0; h < up.size(); ++h) {
    if (drained_.contains(cluster_.cluster.machines[h].name)) up[h] = 0;
  }
  return up;
}

std::string SchedDaemon::away(MachineIndex machine) const {
  if (drained_.contains(cluster_.cluster.machines[machine].name)) return "drained";
  return backend_up_[machine] == 0 ? "away" : "";
}

void SchedDaemon::look_at_machines() {
  auto up = backend_.machines_up();
  if (!up.ok()) return log_.warn("{}", up.error().message());
  if (*up == backend_up_) return;
  for (MachineIndex h = 0; h < up->size(); ++h) {
    if ((*up)[h] == backend_up_[h]) continue;
    log_.info("machine {} is {}", cluster_.cluster.machines[h].name,
              (*up)[h] != 0 ? "back" : "away");
  }
  backend_up_ = std::move(*up);
  is_changed_ = true;
}

void SchedDaemon::look(std::int64_t now_ms) {
  const std::vector<std::int64_t> present = book_.present();
  std::vector<LifeId> lives;
  for (const std::int64_t id : present) lives.push_back(life_of(book_.find(id)->record));
  const auto seen = backend_.look(lives);
  if (!seen.ok()) return log_.warn("{}", seen.error().message());
  for (std::size_t i = 0; i < present.size(); ++i) {
    const JobRecord before = book_.find(present[i])->record;
    book_.see(present[i], before.incarnation, (*seen)[i], now_ms);
    const JobRecord& after = book_.find(present[i])->record;
    if (after.phase == before.phase) continue;
    is_changed_ = true;
    log_.info("job {} ({}) is {}{}{}", after.id, after.name, to_string(after.phase),
              after.reason.empty() ? "" : ": ", after.reason);
  }
}

void SchedDaemon::read_progress_of_all() {
  for (const std::int64_t id : book_.present()) {
    if (const auto done = read_progress(disk_, run_dir(id))) book_.set_progress(id, *done);
  }
}

void SchedDaemon::plan(std::int64_t now_ms) {
  const double now = slots_at(now_ms);
  const auto slot = static_cast<std::int64_t>(std::floor(now));
  if (!is_changed_ && slot == planned_slot_) return;
  is_changed_ = false;
  planned_slot_ = slot;
  const std::vector<char> up = machines_up();
  const LivePlan plan = planner_.plan(book_, up, now);
  for (const std::int64_t id : plan.refused) {
    book_.refuse(id, refusal_words(book_.find(id)->model, planner_), now_ms);
  }
  book_.take_wishes(plan.wishes, plan.order, up, now_ms);
}

Result<> SchedDaemon::write(std::int64_t now_ms) {
  if (store_error_) return *store_error_;
  std::vector<JobRecord> records;
  for (const std::int64_t id : book_.take_changed()) {
    records.push_back(book_.find(id)->record);
    if (is_over(records.back().phase)) forget(id);
  }
  auto written = store_.write(records, now_ms);
  if (!written.ok()) store_error_ = written.error();
  return written;
}

// What only jobs need that may still have orders.
void SchedDaemon::forget(std::int64_t job) {
  commands_.erase(job);
  ordered_ms_.erase(job);
}

Result<> SchedDaemon::carry_out(const LiveJob& job, std::int64_t now_ms) {
  const LifeId life = life_of(job.record);
  switch (order_of(job.record)) {
    case Order::kStart:
      log_.info("job {} ({}): life {} on {}", job.record.id, job.record.name,
                job.record.incarnation, placement_text(job.record.placement, cluster_.cluster));
      return backend_.start(order_for(job));
    case Order::kStop:
      return backend_.stop(life);
    case Order::kKill:
      return backend_.kill(life, now_ms - job.record.since_ms > kKillPatienceMs);
    case Order::kNone:
      return {};
  }
  return {};
}

void SchedDaemon::act(std::int64_t now_ms) {
  for (const std::int64_t id : book_.present()) {
    const LiveJob& job = *book_.find(id);
    if (order_of(job.record) == Order::kNone) continue;
    std::int64_t& last_ms = ordered_ms_[id];
    if (last_ms >= job.record.since_ms && now_ms - last_ms < kOrderAgainMs) continue;
    last_ms = now_ms;
    const auto done = carry_out(job, now_ms);
    if (done.ok()) continue;
    log_.warn("job {} ({}): {}", id, job.record.name, done.error().message());
    const bool is_hopeless = done.error().code() == ErrorCode::kInvalidArgument ||
                             done.error().code() == ErrorCode::kNotFound;
    if (is_hopeless && order_of(job.record) == Order::kStart) give_up(job, done.error(), now_ms);
  }
}

// Nothing will come of this life; whoever may still come to begin it finds it ended.
void SchedDaemon::give_up(const LiveJob& job, const Error& why, std::int64_t now_ms) {
  constexpr int kFailedForGood = 2;
  if (!backend_.stop(life_of(job.record)).ok()) return;
  book_.see(job.record.id, job.record.incarnation,
            {.kind = Sighting::Kind::kEnded, .exit_code = kFailedForGood, .text = why.message()},
            now_ms);
  is_changed_ = true;
}

Result<> SchedDaemon::turn(std::int64_t now_ms) {
  look_at_machines();
  look(now_ms);
  const std::int64_t every = std::clamp(static_cast<std::int64_t>(cluster_.slot_seconds * 100),
                                        kProgressEveryMs, kProgressLateMs);
  if (now_ms - progress_ms_ >= every || now_ms < progress_ms_) {
    progress_ms_ = now_ms;
    read_progress_of_all();
  }
  plan(now_ms);
  GODWIT_TRY(write(now_ms));
  act(now_ms);
  return {};
}

Result<> SchedDaemon::check_room() const {
  const auto active = std::ranges::count_if(
      book_.jobs(), [](const auto& entry) { return !is_over(entry.second.record.phase); });
  if (static_cast<std::size_t>(active) < options_.active_jobs_max) return {};
  return unavailable("{} jobs are not over yet, and there is room for {}: wait, or cancel some",
                     active, options_.active_jobs_max);
}

Result<std::int64_t> SchedDaemon::submit(const std::string& file, const std::string& path,
                                         const std::string& dir, std::int64_t now_ms) {
  GODWIT_TRY(check_room());
  GODWIT_TRY_ASSIGN(LiveJobFile parsed, parse_live_job(file, path, cluster_, slots_at(now_ms)));
  if (auto fit = backend_.check(parsed.model); !fit.ok()) {
    return std::move(fit).error().in_context(path);
  }
  const LiveJob* same = book_.find(std::string_view(parsed.model.name));
  if (same != nullptr && !is_over(same->record.phase)) {
    return invalid_argument("{}: job {} of the name '{}' is not over yet", path, same->record.id,
                            parsed.model.name);
  }
  LiveJob job{.record = {.name = parsed.model.name, .file = file, .path = path, .dir = dir},
              .model = std::move(parsed.model)};
  job.record.has_checkpoints = parsed.has_checkpoints;
  const std::int64_t id = book_.add(std::move(job), now_ms);
  commands_[id] = std::move(parsed.command);
  GODWIT_TRY(write(now_ms));
  is_changed_ = true;
  return id;
}

Result<const LiveJob*> SchedDaemon::find_job(const std::string& name) const {
  if (const LiveJob* job = book_.find(std::string_view(name))) return job;
  std::vector<std::string> names;
  for (const auto& [id, job] : book_.jobs()) names.push_back(job.record.name);
  return not_found("there is no job '{}'{}", name, did_you_mean(name, names));
}

Result<> SchedDaemon::cancel(const std::string& name, std::int64_t now_ms) {
  GODWIT_TRY_ASSIGN(const LiveJob* job, find_job(name));
  const JobRecord& record = job->record;
  if (!book_.cancel(record.id, now_ms)) {
    return invalid_argument("job {} ({}) is {} already", record.id, record.name,
                            to_string(record.phase));
  }
  is_changed_ = true;
  return write(now_ms);
}

Result<> SchedDaemon::set_drained(const std::string& machine, bool drained,
                                  std::int64_t /*now_ms*/) {
  std::vector<std::string> names;
  for (const Machine& one : cluster_.cluster.machines) names.push_back(one.name);
  if (std::ranges::find(names, machine) == names.end()) {
    return not_found("there is no machine '{}'{}", machine, did_you_mean(machine, names));
  }
  GODWIT_TRY(store_.set_drained(machine, drained));
  if (drained) {
    drained_.insert(machine);
  } else {
    drained_.erase(machine);
  }
  is_changed_ = true;
  return {};
}

Result<std::string> SchedDaemon::explain(const std::string& name, std::int64_t now_ms) {
  GODWIT_TRY_ASSIGN(const LiveJob* job, find_job(name));
  GODWIT_TRY_ASSIGN(const std::vector<JobEvent> events, store_.events(job->record.id));
  std::vector<std::string> away_now;
  for (MachineIndex h = 0; h < cluster_.cluster.machine_count(); ++h) away_now.push_back(away(h));
  return explain_job({.job = *job,
                      .book = book_,
                      .planner = planner_,
                      .cluster = cluster_,
                      .away = away_now,
                      .events = events,
                      .begin_ms = store_.begin_ms(),
                      .now = slots_at(now_ms)});
}

}  // namespace godwit
