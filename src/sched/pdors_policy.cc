// sched/pdors_policy.cc: the main loop of the paper's algorithm 1.
#include "sched/pdors_policy.h"

#include <algorithm>

namespace godwit {

const JobShares* placement_at(const Schedule& schedule, int now) {
  for (const PlannedSpan& span : schedule.spans) {
    if (span.first <= now && now <= span.last) return &span.placement;
  }
  return nullptr;
}

Planner& PdorsPolicy::planner(ClusterView& view) {
  if (!planner_) {
    view.calendar().set_prices(prices_);
    planner_.emplace(view.calendar(), options_);
  }
  return *planner_;
}

Verdict PdorsPolicy::on_arrival(const Job& job, ClusterView& view) {
  // A live scheduler tells a new policy of jobs that came, and have run, before its slot 0.
  Schedule schedule = planner(view).best({.job = &job,
                                          .work = std::max(1e-9, view.state(job.index).left()),
                                          .first = std::max(view.now(), job.arrival),
                                          .last = view.horizon() - 1,
                                          .restart = view.restart(),
                                          .is_up = view.up()});
  if (!schedule.found || !(schedule.payoff() > 0)) return Verdict::kRefused;
  reserve(view.calendar(), job, schedule);
  schedules_.emplace(job.index, std::move(schedule));
  return Verdict::kAdmitted;
}

void PdorsPolicy::plan_anew(const Job& job, ClusterView& view) {
  Schedule& schedule = schedules_.at(job.index);
  release(view.calendar(), job, schedule, view.now());
  schedule = planner(view).best({.job = &job,
                                 .work = std::max(1e-9, view.state(job.index).left()),
                                 .first = view.now(),
                                 .last = view.horizon() - 1,
                                 .restart = view.restart(),
                                 .is_up = view.up(),
                                 .any_price = true});
  if (schedule.found) reserve(view.calendar(), job, schedule);
}

void PdorsPolicy::on_slot(ClusterView& view, SlotPlan& out) {
  planner(view);
  for (auto& [index, schedule] : schedules_) {
    const bool is_over = schedule.spans.empty() || schedule.spans.back().last < view.now();
    if (is_over) plan_anew(*view.state(index).job, view);
    if (const JobShares* placement = placement_at(schedule, view.now())) {
      out.push_back({index, *placement});
    }
  }
}

void PdorsPolicy::on_finish(const Job& job, ClusterView& view) {
  const auto found = schedules_.find(job.index);
  if (found == schedules_.end()) return;
  release(view.calendar(), job, found->second, view.now() + 1);
  schedules_.erase(found);
}

void PdorsPolicy::on_machine_down(MachineIndex machine, ClusterView& view) {
  for (auto& [index, schedule] : schedules_) {
    const bool touched = std::ranges::any_of(schedule.spans, [&](const PlannedSpan& span) {
      return span.last >= view.now() &&
             std::ranges::find(span.placement, machine, &Share::machine) != span.placement.end();
    });
    if (touched) plan_anew(*view.state(index).job, view);
  }
}

}  // namespace godwit
