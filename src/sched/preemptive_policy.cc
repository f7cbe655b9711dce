// sched/preemptive_policy.cc: sort, and place while there is room.
#include "sched/preemptive_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sched/slot_room.h"

namespace godwit {
namespace {

// Worker-slots after which a job falls to the next queue: with slots of some minutes, about the
// first hour on one GPU and the first ten.
constexpr std::array kQueueBounds{8.0, 80.0};

}  // namespace

Verdict PreemptivePolicy::on_arrival(const Job& /*job*/, ClusterView& /*view*/) {
  return Verdict::kQueued;
}

double PreemptivePolicy::key(const JobState& state, const ClusterView& view) const {
  const Job& job = *state.job;
  if (order_ == Order::kShortestLeft) {
    const bool internal = state.placement.empty() || is_internal(state.placement);
    return job.slots_for(state.left(), job.workers_wanted, internal);
  }
  const double worker_share = dominant_share(job.worker, view.total());
  const double used = worker_share > 0 ? state.attained / worker_share : 0;
  double queue = 0;
  for (const double bound : kQueueBounds) queue += used >= bound ? 1 : 0;
  return queue;
}

void PreemptivePolicy::on_slot(ClusterView& view, SlotPlan& out) {
  std::vector<std::pair<double, JobIndex>> order;
  for (const JobIndex index : view.active()) {
    order.emplace_back(key(view.state(index), view), index);
  }
  // Stable: of equal ones the first to come.
  std::ranges::stable_sort(order, {}, &std::pair<double, JobIndex>::first);
  SlotRoom room(view.empty_machines());
  for (const auto& [value, index] : order) {
    const JobState& state = view.state(index);
    JobShares placement = room.place(*state.job, state.job->workers_wanted, state.placement);
    if (!placement.empty()) out.push_back({index, std::move(placement)});
  }
}

}  // namespace godwit
