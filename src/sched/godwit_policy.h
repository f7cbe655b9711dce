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

// Of the mean priority of jobs, what the end of a job is worth beside its utility.
inline constexpr double kEndingShare = 0.2;
// What the end of a job is worth in itself: as much for all. It is what late jobs, and those that
// are in no hurry, are ranked by: the shortest first, or they would wait for all that has any
// utility left, however long that takes.
double worth_of_ending(const ClusterView& view);

// What a job is ranked by: those first that bring most for what they take.
struct JobRank {
  double utility = 0;  // still to be had; 0: as good as none
  double needs = 0;    // slots times share of the cluster
  double worth = 0;    // utility and worth of its end, for what it needs
};
JobRank rank_job(const JobState& state, const ClusterView& view, double ending);

class GodwitPolicy final : public Policy {
 public:
  GodwitPolicy(const GodwitOptions& options, const PriceRule& prices);

  Verdict on_arrival(const Job& job, ClusterView& view) override;
  void on_slot(ClusterView& view, SlotPlan& out) override;
  void on_finish(const Job& job, ClusterView& view) override;
  void on_machine_down(MachineIndex machine, ClusterView& view) override;
  void on_machine_up(MachineIndex machine, ClusterView& view) override;
  const Schedule* schedule_of(JobIndex job) const override {
    const auto found = schedules_.find(job);
    return found == schedules_.end() ? nullptr : &found->second;
  }

 private:
  using Schedules = std::map<JobIndex, Schedule>;
  struct Ranked : JobRank {
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
