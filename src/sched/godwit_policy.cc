// sched/godwit_policy.cc: schedules that follow what happens.
#include "sched/godwit_policy.h"

#include <algorithm>
#include <cmath>

#include "sched/idle_fill.h"
#include "sched/pdors_policy.h"

namespace godwit {
namespace {

// Of its best, what a job must still be worth to have a schedule.
constexpr double kWorthless = 1e-3;
// By what a new set of schedules must be better than the old one.
constexpr double kBetter = 1e-3;
// Schedules that are together worth this share of what each job could have alone are left alone.
constexpr double kNearBest = 0.99;

PriceRule weighted(PriceRule rule, double weight) {
  rule.lowest *= weight;
  for (double& price : rule.highest) price *= weight;
  return rule;
}

// Samples of one slot more than the first with a placement.
double span_work(const Job& job, const PlannedSpan& span, int from, double restart) {
  const int slots = span.last - std::max(span.first, from) + 1;
  if (slots <= 0) return 0;
  return (slots - restart) *
         job.speed.samples(workers_of(span.placement), is_internal(span.placement));
}

}  // namespace

GodwitPolicy::GodwitPolicy(const GodwitOptions& options, const PriceRule& prices)
    : options_(options), prices_(weighted(prices, options.price_weight)) {}

Planner& GodwitPolicy::planner(ClusterView& view) {
  if (!planner_) {
    view.calendar().set_prices(prices_);
    planner_.emplace(view.calendar(), options_.planner);
  }
  return *planner_;
}

Schedule GodwitPolicy::plan(const JobState& state, ClusterView& view) {
  const Job& job = *state.job;
  Schedule schedule = planner(view).best({.job = &job,
                                          .work = std::max(1e-9, state.left()),
                                          .first = std::max(view.now(), job.arrival),
                                          .last = view.horizon() - 1,
                                          .restart = view.restart(),
                                          .is_up = view.up()});
  if (schedule.utility < kWorthless * job.utility.priority) schedule.found = false;
  return schedule;
}

Verdict GodwitPolicy::on_arrival(const Job& job, ClusterView& view) {
  is_stale_ = true;
  if (schedules_.size() >= static_cast<std::size_t>(options_.planned_max)) return Verdict::kQueued;
  Schedule schedule = plan(view.state(job.index), view);
  if (!schedule.found) return Verdict::kQueued;
  reserve(view.calendar(), job, schedule, view.now());
  schedules_.emplace(job.index, std::move(schedule));
  return Verdict::kAdmitted;
}

void GodwitPolicy::on_finish(const Job& job, ClusterView& view) {
  is_stale_ = true;
  const auto found = schedules_.find(job.index);
  if (found == schedules_.end()) return;
  release(view.calendar(), job, found->second, view.now() + 1);
  schedules_.erase(found);
}

void GodwitPolicy::on_machine_down(MachineIndex machine, ClusterView& view) {
  is_stale_ = true;
  std::erase_if(schedules_, [&](const auto& entry) {
    const bool touched = std::ranges::any_of(entry.second.spans, [&](const PlannedSpan& span) {
      return span.last >= view.now() &&
             std::ranges::find(span.placement, machine, &Share::machine) != span.placement.end();
    });
    if (touched) release(view.calendar(), *view.state(entry.first).job, entry.second, view.now());
    return touched;
  });
}

void GodwitPolicy::on_machine_up(MachineIndex /*machine*/, ClusterView& /*view*/) {
  is_stale_ = true;
}

double worth_of_ending(const ClusterView& view) {
  if (view.active().empty()) return 0;
  double sum = 0;
  for (const JobIndex index : view.active()) sum += view.state(index).job->utility.priority;
  return kEndingShare * sum / static_cast<double>(view.active().size());
}

JobRank rank_job(const JobState& state, const ClusterView& view, double ending) {
  const Job& job = *state.job;
  Resources one = job.worker;
  add_to(one, job.server, 1.0 / job.workers_per_server);
  const double needs = std::max(
      1e-12, state.left() / job.speed.most_a_worker(true) * dominant_share(one, view.total()));
  const double slots = std::max(1.0, std::ceil(state.left() / job.speed.fastest(true) - 1e-9));
  const int last = view.now() + static_cast<int>(std::min(1e8, slots)) - 1;
  double utility = last < view.horizon() ? job.utility.at(last - job.arrival) : 0;
  if (utility < kWorthless * job.utility.priority) utility = 0;
  return {utility, needs, (utility + ending) / needs};
}

std::vector<GodwitPolicy::Ranked> GodwitPolicy::ranked(const ClusterView& view) const {
  std::vector<Ranked> order;
  const double ending = worth_of_ending(view);
  for (const JobIndex index : view.active()) {
    order.push_back({rank_job(view.state(index), view, ending), index});
  }
  std::ranges::sort(order, [](const Ranked& a, const Ranked& b) {
    if (a.worth != b.worth) return a.worth > b.worth;
    return a.needs != b.needs ? a.needs < b.needs : a.job < b.job;
  });
  return order;
}

bool GodwitPolicy::trim(const JobState& state, Schedule& schedule, ClusterView& view) {
  const int now = view.now();
  const Job& job = *state.job;
  // A job may say that all is done and still run: it keeps a slot until it ends.
  double left = std::max(1e-9, state.left()) * (1 - 1e-9);
  auto span = schedule.spans.begin();
  for (; span != schedule.spans.end() && left > 0; ++span) {
    // Only a placement that it already has goes on without a restart.
    const bool goes_on = span->first <= now && state.placement == span->placement;
    const double lost = goes_on ? 0 : view.restart();
    const double work = span_work(job, *span, now, lost);
    if (work < left) {
      left -= work;
      continue;
    }
    const double speed =
        job.speed.samples(workers_of(span->placement), is_internal(span->placement));
    const int slots = std::max(1, static_cast<int>(std::ceil(left / speed + lost - 1e-9)));
    const int last = std::min(span->last, std::max(span->first, now) + slots - 1);
    for (int t = last + 1; t <= span->last; ++t) view.calendar().release(t, job, span->placement);
    if (last < span->last) is_stale_ = true;
    span->last = last;
    left = 0;
  }
  if (left > 0) return false;
  for (auto later = span; later != schedule.spans.end(); ++later) {
    is_stale_ = true;
    for (int t = std::max(now, later->first); t <= later->last; ++t) {
      view.calendar().release(t, job, later->placement);
    }
  }
  schedule.spans.erase(span, schedule.spans.end());
  schedule.completion = schedule.spans.back().last;
  schedule.utility = job.utility.at(schedule.completion - job.arrival);
  return true;
}

void GodwitPolicy::reconcile(ClusterView& view) {
  for (auto entry = schedules_.begin(); entry != schedules_.end();) {
    const JobState& state = view.state(entry->first);
    if (trim(state, entry->second, view)) {
      ++entry;
      continue;
    }
    is_stale_ = true;
    release(view.calendar(), *state.job, entry->second, view.now());
    entry = schedules_.erase(entry);
  }
}

void GodwitPolicy::reserve_all(ClusterView& view, const Schedules& schedules) {
  for (const auto& [index, schedule] : schedules) {
    reserve(view.calendar(), *view.state(index).job, schedule, view.now());
  }
}

void GodwitPolicy::release_all(ClusterView& view, const Schedules& schedules) {
  for (const auto& [index, schedule] : schedules) {
    release(view.calendar(), *view.state(index).job, schedule, view.now());
  }
}

double GodwitPolicy::planned_utility() const {
  double sum = 0;
  for (const auto& [index, schedule] : schedules_) sum += schedule.utility;
  return sum;
}

void GodwitPolicy::plan_waiting(ClusterView& view, const std::vector<Ranked>& order) {
  for (const Ranked& rank : order) {
    if (schedules_.size() >= static_cast<std::size_t>(options_.planned_max)) break;
    if (rank.utility <= 0 || schedules_.contains(rank.job)) continue;
    const JobState& state = view.state(rank.job);
    Schedule schedule = plan(state, view);
    if (!schedule.found) continue;
    reserve(view.calendar(), *state.job, schedule, view.now());
    schedules_.emplace(rank.job, std::move(schedule));
  }
}

void GodwitPolicy::improve(ClusterView& view) {
  const std::vector<Ranked> order = ranked(view);
  plan_waiting(view, order);
  const double before = planned_utility();
  double alone = 0;
  for (const Ranked& rank : order) alone += rank.utility;
  if (before >= kNearBest * alone) return;
  Schedules old = std::move(schedules_);
  schedules_.clear();
  release_all(view, old);
  plan_waiting(view, order);
  if (planned_utility() > before * (1 + kBetter)) return;
  release_all(view, schedules_);
  schedules_ = std::move(old);
  reserve_all(view, schedules_);
}

void GodwitPolicy::on_slot(ClusterView& view, SlotPlan& out) {
  planner(view);
  reconcile(view);
  if (is_stale_) {
    if (options_.replans) {
      improve(view);
    } else {
      plan_waiting(view, ranked(view));
    }
    is_stale_ = false;
  }
  SlotRoom room(view.empty_machines());
  for (const auto& [index, schedule] : schedules_) {
    const JobShares* placement = placement_at(schedule, view.now());
    if (placement == nullptr) continue;
    room.take(*view.state(index).job, *placement);
    out.push_back({index, *placement});
  }
  if (!options_.best_effort) return;
  std::vector<JobIndex> order;
  for (const Ranked& rank : ranked(view)) order.push_back(rank.job);
  fill_idle(view, order, room, out);
}

}  // namespace godwit
