// sched/godwit_policy.h: our policy. Jobs have schedules by the paper's planner, but none is
// refused for good and none is final: schedules are made anew from measured progress when jobs come
// or go, machines fail or estimates were wrong, if all together are then worth more. What they
// leave idle is filled: jobs without a schedule, or with a later one, run ahead, and give way.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/planner.h"
#include "sched/policy.h"
#include "sched/price_rule.h"
#include "sched/slot_room.h"

namespace godwit {

struct GodwitOptions {
  PlannerOptions planner;
  // What prices count against utility. Nobody is refused by them, so they only say which slots to
  // leave to others.
  double price_weight = 0.2;
  int planned_max = 24;     // jobs that have a schedule at a time; more wait for idle machines
  bool best_effort = true;  // fill what schedules leave idle
  bool replans = true;      // else a schedule stays until it falls short
};

class GodwitPolicy final : public Policy {
 public:
  GodwitPolicy(const GodwitOptions& options, const PriceRule& prices);

  Verdict on_arrival(const Job& job, ClusterView& view) override;
  void on_slot(ClusterView& view, SlotPlan& out) override;
  void on_finish(const Job& job, ClusterView& view) override;
  void on_machine_down(MachineIndex machine, ClusterView& view) override;
  void on_machine_up(MachineIndex machine, ClusterView& view) override;

 private:
  using Schedules = std::map<JobIndex, Schedule>;
  struct Ranked {
    double worth = 0;  // utility still to be had for what it takes
    double needs = 0;  // slots times share of the cluster
    JobIndex job = 0;
  };

  Planner& planner(ClusterView& view);
  Schedule plan(const JobState& state, ClusterView& view);
  std::vector<Ranked> ranked(const ClusterView& view) const;
  // Drops what is not needed any more of schedules, and schedules that do not suffice.
  void reconcile(ClusterView& view);
  // False if the schedule does not suffice.
  bool trim(const JobState& state, Schedule& schedule, ClusterView& view);
  void improve(ClusterView& view);
  void plan_waiting(ClusterView& view, const std::vector<Ranked>& order);
  void reserve_all(ClusterView& view, const Schedules& schedules);
  void release_all(ClusterView& view, const Schedules& schedules);
  double planned_utility() const;

  GodwitOptions options_;
  PriceRule prices_;
  std::optional<Planner> planner_;
  Schedules schedules_;
  bool is_stale_ = true;
};

}  // namespace godwit
