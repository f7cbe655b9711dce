// sched/policy.h: who decides. The simulator and the daemon drive the same policies; only the clock
// and what carries out the plan differ. Policies are owned by the driver's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/cluster_view.h"
#include "sched/job.h"

namespace godwit {

enum class Verdict : std::uint8_t {
  kAdmitted,  // slots are reserved for it
  kQueued,    // it will run when it is its turn
  kRefused,   // it will never run
};

struct JobPlacement {
  JobIndex job = 0;
  JobShares placement;
};
struct Schedule;
// What runs in one slot; each job once.
using SlotPlan = std::vector<JobPlacement>;

class Policy {
 public:
  virtual ~Policy() = default;

  // The job has just been added to the view; view.now() <= its arrival.
  virtual Verdict on_arrival(const Job& job, ClusterView& view) = 0;
  // Called once a slot, after arrivals. Adds what is to run in slot view.now() to `out`, which is
  // empty. REQUIRES of the policy: no machine that is down, nothing above a capacity, only jobs of
  // view.active() that have arrived.
  virtual void on_slot(ClusterView& view, SlotPlan& out) = 0;
  // The job finished in the slot that has just ended; it is no longer active.
  virtual void on_finish(const Job& /*job*/, ClusterView& /*view*/) {}
  // What is planned for a job, as far as the policy plans ahead; null if it does not.
  virtual const Schedule* schedule_of(JobIndex /*job*/) const { return nullptr; }
  // From slot view.now() on, the machine is away, or back.
  virtual void on_machine_down(MachineIndex /*machine*/, ClusterView& /*view*/) {}
  virtual void on_machine_up(MachineIndex /*machine*/, ClusterView& /*view*/) {}
};

}  // namespace godwit
