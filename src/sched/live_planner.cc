// sched/live_planner.cc: the book's jobs become the policy's, and its plan the book's wishes.
#include "sched/live_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/try.h"
#include "sched/settle_wishes.h"
#include "sched/slot_room.h"

namespace godwit {
namespace {

constexpr std::size_t kHistoryMax = 256;
// Measured by declared speed; beyond it the measurement is not believed.
constexpr double kFactorMax = 100;
// Slots that a life has before it may be ended for others, or for a better place.
constexpr double kLifeMin = 1;
// Slots over which a speed must have been seen.
constexpr double kMeasureSlots = 0.5;

}  // namespace

JobShares workers_only(const JobShares& placement) {
  JobShares workers;
  for (const Share& share : placement) {
    if (share.workers > 0) workers.push_back({share.machine, share.workers, 0});
  }
  return workers;
}

Result<LivePlanner> LivePlanner::make(const LiveCluster& cluster, const std::string& policy) {
  Instance probe;
  probe.cluster = cluster.cluster;
  probe.jobs.emplace_back();
  probe.jobs[0].worker[0] = 1;
  probe.jobs[0].speed = SpeedCurve::paper({}, 1);
  GODWIT_TRY(make_policy(policy, {}, probe));
  return LivePlanner(cluster, policy);
}

// A new policy that knows nothing yet; take_arrivals() tells it of all jobs.
void LivePlanner::begin_window(const JobBook& book, std::int64_t slot) {
  std::map<std::int64_t, Known> old;
  for (const auto& [id, index] : indices_) old.emplace(id, std::move(known_[index]));
  indices_.clear();
  ids_.clear();
  known_.clear();
  origin_ = slot;
  Instance instance;
  instance.cluster = cluster_->cluster;
  instance.jobs = history_;
  instance.slots = cluster_->slots;
  instance.slot_seconds = cluster_->slot_seconds;
  priced_ = history_.size();
  policy_ = make_policy(policy_name_, {}, instance).value();
  view_.emplace(cluster_->cluster, cluster_->slots, cluster_->restart);
  for (auto& [id, known] : old) {
    const LiveJob* job = book.find(id);
    if (job == nullptr || is_over(job->record.phase)) continue;
    open(std::move(known), *job);
  }
}

Verdict LivePlanner::open(Known known, const LiveJob& job) {
  const auto index = static_cast<JobIndex>(known_.size());
  known.job.index = index;
  known.job.arrival = static_cast<int>(job.model.arrival - origin_);
  known_.push_back(std::move(known));
  indices_[job.record.id] = index;
  ids_[index] = job.record.id;
  view_->add(known_.back().job);
  view_->mutable_state(index).done = job.record.done * job.model.work;
  const Verdict verdict = policy_->on_arrival(known_.back().job, *view_);
  if (verdict == Verdict::kRefused) {
    view_->finish(index);
    indices_.erase(job.record.id);
  }
  return verdict;
}

void LivePlanner::take_arrivals(const JobBook& book, LivePlan& plan) {
  for (auto entry = book.jobs().upper_bound(last_id_); entry != book.jobs().end(); ++entry) {
    last_id_ = entry->first;
    const LiveJob& job = entry->second;
    if (is_over(job.record.phase)) continue;
    if (open({.job = job.model}, job) != Verdict::kRefused) continue;
    // One that came before this window may have been taken in another, before a restart.
    const bool is_new = job.record.incarnation == 0 && job.model.arrival >= origin_;
    if (is_new && job.record.phase == JobPhase::kWaiting) plan.refused.push_back(entry->first);
  }
}

void LivePlanner::take_ends(const JobBook& book) {
  for (auto entry = indices_.begin(); entry != indices_.end();) {
    const LiveJob* job = book.find(entry->first);
    GODWIT_CHECK(job != nullptr);
    if (!is_over(job->record.phase)) {
      ++entry;
      continue;
    }
    view_->finish(entry->second);
    policy_->on_finish(known_[entry->second].job, *view_);
    entry = indices_.erase(entry);
  }
}

void LivePlanner::take_machines(const std::vector<char>& is_up) {
  for (MachineIndex h = 0; h < is_up.size(); ++h) {
    const bool up = is_up[h] != 0;
    if (up == view_->is_up(h)) continue;
    view_->set_up(h, up);
    if (up) {
      policy_->on_machine_up(h, *view_);
    } else {
      policy_->on_machine_down(h, *view_);
    }
  }
}

// What it did between two times at which it was seen to get further, at one place.
void LivePlanner::measure(Known& known, const LiveJob& job, double now) {
  const double samples = job.record.done * job.model.work;
  if (job.record.phase != JobPhase::kRunning || known.ran != job.record.placement) {
    known.ran = job.record.phase == JobPhase::kRunning ? job.record.placement : JobShares();
    known.marked.reset();
  }
  if (known.ran.empty()) return;
  if (!known.marked) {
    // The first step counts from its end: before it was start-up.
    if (job.record.done > job.record.done_before) known.marked = {now, samples};
    return;
  }
  const auto [at, before] = *known.marked;
  if (now - at < kMeasureSlots || samples <= before) return;
  const int workers = workers_of(known.ran);
  const double told = job.model.speed.samples(workers, is_internal(known.ran));
  const double factor =
      std::clamp((samples - before) / (now - at) / told, 1 / kFactorMax, kFactorMax);
  known.factor = factor;
  known.job.speed = job.model.speed.scaled(factor);
  known.marked = {now, samples};
}

void LivePlanner::take_progress(const JobBook& book, double now) {
  for (const auto& [id, index] : indices_) {
    const LiveJob& job = *book.find(id);
    Known& known = known_[index];
    measure(known, job, now);
    JobState& state = view_->mutable_state(index);
    state.done = job.record.done * job.model.work;
    const bool runs =
        job.record.phase == JobPhase::kStarting || job.record.phase == JobPhase::kRunning;
    if (!runs) {
      state.placement.clear();
    } else if (workers_only(known.planned) == job.record.placement) {
      state.placement = known.planned;
    } else {
      state.placement = job.record.placement;
    }
  }
}

LivePlan LivePlanner::plan(const JobBook& book, const std::vector<char>& is_up, double now) {
  LivePlan plan;
  for (auto entry = book.jobs().upper_bound(last_id_); entry != book.jobs().end(); ++entry) {
    // Of an old job that does not fit the cluster any more nothing is known.
    if (entry->second.model.speed.best_workers(true) == 0) continue;
    history_.push_back(entry->second.model);
    if (history_.size() > kHistoryMax) history_.erase(history_.begin());
  }
  if (history_.empty()) return plan;
  const auto slot = static_cast<std::int64_t>(std::floor(now));
  const bool is_late = view_ && slot - origin_ >= cluster_->slots / 2;
  if (!view_ || is_late || history_.size() >= 2 * priced_) begin_window(book, slot);
  view_->set_now(static_cast<int>(std::max<std::int64_t>(slot - origin_, view_->now())));
  take_machines(is_up);
  take_ends(book);
  take_arrivals(book, plan);
  take_progress(book, now);
  SlotPlan placed;
  policy_->on_slot(*view_, placed);
  for (const JobPlacement& one : placed) {
    const std::int64_t id = ids_.at(one.job);
    known_[one.job].planned = one.placement;
    plan.wishes[id] = workers_only(one.placement);
    plan.order.push_back(id);
  }
  fill_forgotten(book, is_up, plan);
  settle(book, is_up, now, plan);
  return plan;
}

void LivePlanner::settle(const JobBook& book, const std::vector<char>& is_up, double now,
                         LivePlan& plan) {
  std::map<std::int64_t, HeldJob> held;
  std::map<std::int64_t, const Job*> waiting;
  for (const auto& [id, job] : book.jobs()) {
    const JobRecord& record = job.record;
    if (is_over(record.phase)) continue;
    const auto found = indices_.find(id);
    Known* known = found == indices_.end() ? nullptr : &known_[found->second];
    const Job* model = known == nullptr ? &job.model : &known->job;
    const bool runs = record.phase == JobPhase::kStarting || record.phase == JobPhase::kRunning;
    if (!runs) {
      if (plan.wishes.contains(id)) waiting[id] = model;
      continue;
    }
    if (known != nullptr && known->life != record.incarnation) {
      known->life = record.incarnation;
      known->began = now;
    }
    const bool is_young = known != nullptr && now - known->began < kLifeMin;
    const bool is_cut = std::ranges::any_of(
        record.placement, [&](const Share& share) { return is_up[share.machine] == 0; });
    if (is_cut && !record.has_checkpoints) continue;  // it stays on a machine that is no more ours
    held[id] = {.model = model,
                .placement = record.placement,
                .left = (1 - record.done) * model->work,
                .may_move = record.has_checkpoints && !is_young,
                .must_move = is_cut};
  }
  settle_wishes(held, waiting, plan.order, cluster_->restart, SlotRoom(view_->empty_machines()),
                plan.wishes);
}

// A policy that refuses jobs may refuse, in a new window, one that it had taken in the one before:
// such jobs have what others leave.
void LivePlanner::fill_forgotten(const JobBook& book, const std::vector<char>& is_up,
                                 LivePlan& plan) const {
  std::vector<Resources> empty = view_->empty_machines();
  SlotRoom room(std::move(empty));
  for (const auto& [id, placement] : plan.wishes) room.take(book.find(id)->model, placement);
  for (const auto& [id, job] : book.jobs()) {
    const JobRecord& record = job.record;
    if (is_over(record.phase) || indices_.contains(id)) continue;
    if (std::ranges::find(plan.refused, id) != plan.refused.end()) continue;
    const bool stays = !record.placement.empty() && room.has_room(job.model, record.placement) &&
                       std::ranges::all_of(record.placement, [&](const Share& share) {
                         return is_up[share.machine] != 0;
                       });
    const JobShares placement =
        stays ? record.placement
              : workers_only(
                    room.find_most(job.model, job.model.workers_min(), job.model.workers_wanted));
    if (placement.empty()) continue;
    room.take(job.model, placement);
    plan.wishes[id] = placement;
    plan.order.push_back(id);
  }
}

const Schedule* LivePlanner::schedule_of(std::int64_t id) const {
  const auto found = indices_.find(id);
  return found == indices_.end() || !policy_ ? nullptr : policy_->schedule_of(found->second);
}

const Job* LivePlanner::model_of(std::int64_t id) const {
  const auto found = indices_.find(id);
  return found == indices_.end() ? nullptr : &known_[found->second].job;
}

double LivePlanner::speed_factor(std::int64_t id) const {
  const auto found = indices_.find(id);
  return found == indices_.end() ? 1 : known_[found->second].factor;
}

}  // namespace godwit
