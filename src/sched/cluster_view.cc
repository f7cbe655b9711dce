// sched/cluster_view.cc: jobs come and finish.
#include "sched/cluster_view.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {

ClusterView::ClusterView(const Cluster& cluster, int slots, double restart)
    : cluster_(&cluster),
      calendar_(cluster, slots),
      restart_(restart),
      total_(cluster.total()),
      is_up_(cluster.machine_count(), 1) {
  GODWIT_CHECK(restart >= 0 && restart <= 0.5);
}

std::vector<Resources> ClusterView::empty_machines() const {
  std::vector<Resources> room;
  room.reserve(cluster_->machine_count());
  for (MachineIndex h = 0; h < cluster_->machine_count(); ++h) {
    room.push_back(is_up(h) ? cluster_->machines[h].capacity : Resources{});
  }
  return room;
}

void ClusterView::add(const Job& job) {
  if (states_.size() <= job.index) states_.resize(job.index + 1);
  GODWIT_CHECK(states_[job.index].job == nullptr);
  states_[job.index].job = &job;
  active_.push_back(job.index);
}

void ClusterView::finish(JobIndex job) {
  states_[job].is_finished = true;
  states_[job].placement.clear();
  std::erase(active_, job);
}

}  // namespace godwit
