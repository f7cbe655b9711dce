// sched/cluster_view.h: what a policy knows: the clock, the machines, the calendar and how far each
// job has come. Owned by one thread: that of the driver (simulator or daemon), which changes it.
#pragma once

#include <span>
#include <vector>

#include "sched/calendar.h"
#include "sched/cluster.h"
#include "sched/job.h"

namespace godwit {

struct JobState {
  const Job* job = nullptr;
  double done = 0;      // samples, as measured
  double attained = 0;  // slots times dominant share of the cluster
  int slots_run = 0;
  int first_run = -1;   // slot
  JobShares placement;  // of the slot before; empty if it did not run
  bool is_finished = false;

  double left() const { return std::max(0.0, job->work - done); }
};

class ClusterView {
 public:
  // `restart`: the slots that a job loses when it starts or its placement changes; at most 0.5.
  ClusterView(const Cluster& cluster, int slots, double restart);

  const Cluster& cluster() const { return *cluster_; }
  Calendar& calendar() { return calendar_; }
  const Calendar& calendar() const { return calendar_; }
  int now() const { return now_; }
  // Slots are 0 .. horizon() - 1.
  int horizon() const { return calendar_.slots(); }
  double restart() const { return restart_; }
  bool is_up(MachineIndex machine) const { return is_up_[machine] != 0; }
  std::span<const char> up() const { return is_up_; }
  const Resources& total() const { return total_; }

  // Jobs that came and are not finished, in the order of arrival.
  const std::vector<JobIndex>& active() const { return active_; }
  // REQUIRES: the job came.
  const JobState& state(JobIndex job) const { return states_[job]; }

  // What each machine has, nothing where it is down.
  std::vector<Resources> empty_machines() const;

  // For the driver only.
  void set_now(int now) { now_ = now; }
  void add(const Job& job);
  JobState& mutable_state(JobIndex job) { return states_[job]; }
  void finish(JobIndex job);
  void set_up(MachineIndex machine, bool up) { is_up_[machine] = up ? 1 : 0; }

 private:
  const Cluster* cluster_;
  Calendar calendar_;
  double restart_;
  Resources total_;
  int now_ = 0;
  std::vector<char> is_up_;
  std::vector<JobState> states_;  // by job
  std::vector<JobIndex> active_;
};

}  // namespace godwit
