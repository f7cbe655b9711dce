// sched/sharing_policy.h: all jobs share the cluster, each with a number of workers that is chosen
// anew whenever a job comes or goes: the frame of DRF, Optimus and Dorm.
#pragma once

#include <vector>

#include "sched/policy.h"

namespace godwit {

struct WorkerCount {
  JobIndex job = 0;
  int workers = 0;
};

class SharingPolicy : public Policy {
 public:
  Verdict on_arrival(const Job& job, ClusterView& view) final;
  void on_slot(ClusterView& view, SlotPlan& out) final;
  void on_finish(const Job& job, ClusterView& view) final;
  void on_machine_down(MachineIndex machine, ClusterView& view) final;
  void on_machine_up(MachineIndex machine, ClusterView& view) final;

 protected:
  // Workers of each active job that gets any, those first that are to be placed first. Machines are
  // seen as one: where that does not work out, jobs get fewer.
  virtual std::vector<WorkerCount> divide(const ClusterView& view) = 0;

 private:
  bool is_stale_ = true;
  std::vector<WorkerCount> counts_;
};

// Dominant resource fairness: a worker more to whoever has the smallest dominant share.
class DrfPolicy final : public SharingPolicy {
 public:
  std::vector<WorkerCount> divide(const ClusterView& view) override;
};

// Optimus: a worker more where it shortens the time left most, for what it takes.
class OptimusPolicy final : public SharingPolicy {
 public:
  std::vector<WorkerCount> divide(const ClusterView& view) override;
};

// Dorm: utilisation as a linear program, no job far below its fair share.
class DormPolicy final : public SharingPolicy {
 public:
  std::vector<WorkerCount> divide(const ClusterView& view) override;
};

}  // namespace godwit
