// sched/pdors_policy.h: PD-ORS of the paper: a job is admitted when it comes, if its best schedule
// is worth more than it costs, and then has that schedule; else it is refused for good. With the
// internal case off it is OASiS.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/planner.h"
#include "sched/policy.h"
#include "sched/price_rule.h"

namespace godwit {

class PdorsPolicy final : public Policy {
 public:
  PdorsPolicy(const PlannerOptions& options, const PriceRule& prices)
      : options_(options), prices_(prices) {}

  Verdict on_arrival(const Job& job, ClusterView& view) override;
  void on_slot(ClusterView& view, SlotPlan& out) override;
  void on_finish(const Job& job, ClusterView& view) override;
  void on_machine_down(MachineIndex machine, ClusterView& view) override;
  const Schedule* schedule_of(JobIndex job) const override {
    const auto found = schedules_.find(job);
    return found == schedules_.end() ? nullptr : &found->second;
  }

 private:
  // What is missing, wherever there is room: for jobs that were admitted and did not come through.
  void plan_anew(const Job& job, ClusterView& view);
  Planner& planner(ClusterView& view);

  PlannerOptions options_;
  PriceRule prices_;
  std::optional<Planner> planner_;
  std::map<JobIndex, Schedule> schedules_;  // of admitted jobs that are not finished
};

// The placement of slot `now`; nothing if the schedule has none.
const JobShares* placement_at(const Schedule& schedule, int now);

}  // namespace godwit
