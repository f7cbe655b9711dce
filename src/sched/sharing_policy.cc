// sched/sharing_policy.cc: when shares are made anew, and three ways to make them.
#include "sched/sharing_policy.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "sched/slot_room.h"

namespace godwit {
namespace {

// What Clp takes for no bound.
constexpr double kUnbounded = std::numeric_limits<double>::max();

// Dorm: what a job may be below its fair share.
constexpr double kFairnessLoss = 0.2;

Resources room_of_all(const ClusterView& view) {
  Resources room{};
  for (const Resources& machine : view.empty_machines()) room = plus(room, machine);
  return room;
}

// What goes from `workers` to `workers` + 1 take more, with the servers they need.
Resources step_demand(const Job& job, int workers) {
  Resources demand = job.worker;
  add_to(demand, job.server, job.servers_for(workers + 1) - job.servers_for(workers));
  return demand;
}

int next_count(const Job& job, int workers) {
  if (!job.elastic) return workers == 0 ? job.workers_wanted : 0;
  return workers < job.speed.best_workers(false) ? workers + 1 : 0;
}

Resources demand_between(const Job& job, int from, int to) {
  Resources demand{};
  for (int w = from; w < to; ++w) demand = plus(demand, step_demand(job, w));
  return demand;
}

// Raises counts by whose key is lowest, as long as there is room. The key is of the next worker.
template <class Key>
std::vector<WorkerCount> raise(const ClusterView& view, Key key) {
  std::vector<int> workers(view.active().size(), 0);
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    queue.emplace(key(view.state(view.active()[i]), 0), i);
  }
  Resources room = room_of_all(view);
  std::vector<WorkerCount> counts;
  while (!queue.empty()) {
    const std::size_t i = queue.top().second;
    queue.pop();
    const JobState& state = view.state(view.active()[i]);
    const int next = next_count(*state.job, workers[i]);
    if (next == 0) continue;
    const Resources more = demand_between(*state.job, workers[i], next);
    if (!fits(more, room)) continue;
    add_to(room, more, -1);
    workers[i] = next;
    queue.emplace(key(state, next), i);
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] > 0) counts.push_back({view.active()[i], workers[i]});
  }
  return counts;
}

std::vector<WorkerCount> fair_counts(const ClusterView& view) {
  return raise(view, [&](const JobState& state, int workers) {
    return dominant_share(state.job->demand(workers), view.total());
  });
}

}  // namespace

Verdict SharingPolicy::on_arrival(const Job& /*job*/, ClusterView& /*view*/) {
  is_stale_ = true;
  return Verdict::kQueued;
}
void SharingPolicy::on_finish(const Job& /*job*/, ClusterView& /*view*/) {
  is_stale_ = true;
}
void SharingPolicy::on_machine_down(MachineIndex /*machine*/, ClusterView& /*view*/) {
  is_stale_ = true;
}
void SharingPolicy::on_machine_up(MachineIndex /*machine*/, ClusterView& /*view*/) {
  is_stale_ = true;
}

void SharingPolicy::on_slot(ClusterView& view, SlotPlan& out) {
  if (is_stale_) counts_ = divide(view);
  is_stale_ = false;
  SlotRoom room(view.empty_machines());
  std::vector<WorkerCount> moved;
  for (const WorkerCount& count : counts_) {
    const JobState& state = view.state(count.job);
    if (state.is_finished) continue;
    const bool stays =
        workers_of(state.placement) == count.workers && room.has_room(*state.job, state.placement);
    if (!stays) {
      moved.push_back(count);
      continue;
    }
    room.take(*state.job, state.placement);
    out.push_back({count.job, state.placement});
  }
  for (const WorkerCount& count : moved) {
    const Job& job = *view.state(count.job).job;
    JobShares placement =
        room.find_most(job, std::min(count.workers, job.workers_min()), count.workers);
    if (placement.empty()) continue;
    room.take(job, placement);
    out.push_back({count.job, std::move(placement)});
  }
}

std::vector<WorkerCount> DrfPolicy::divide(const ClusterView& view) {
  return fair_counts(view);
}

std::vector<WorkerCount> OptimusPolicy::divide(const ClusterView& view) {
  return raise(view, [&](const JobState& state, int workers) {
    const Job& job = *state.job;
    // The first worker goes to everybody, to the shortest first: keys below all gains.
    if (workers == 0) return -1e30 + job.slots_for(state.left(), 1, false);
    const double gain = job.slots_for(state.left(), workers, false) -
                        job.slots_for(state.left(), workers + 1, false);
    return -gain / std::max(1e-12, dominant_share(step_demand(job, workers), view.total()));
  });
}

std::vector<WorkerCount> DormPolicy::divide(const ClusterView& view) {
  std::vector<WorkerCount> counts = fair_counts(view);
  if (counts.empty()) return counts;
  const std::size_t resources = view.cluster().resource_count();
  const std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)> lp(Clp_newModel(),
                                                                    &Clp_deleteModel);
  Clp_setLogLevel(lp.get(), 0);
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> rows;
  std::vector<double> values;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> gains;
  for (const WorkerCount& count : counts) {
    const Job& job = *view.state(count.job).job;
    Resources one = job.worker;
    add_to(one, job.server, 1.0 / job.workers_per_server);
    double gain = 0;
    for (std::size_t r = 0; r < resources; ++r) {
      rows.push_back(static_cast<int>(r));
      values.push_back(one[r]);
      if (view.total()[r] > 0) gain += one[r] / view.total()[r];
    }
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    gains.push_back(-gain);
    low.push_back(job.elastic ? std::floor(count.workers * (1 - kFairnessLoss)) : count.workers);
    high.push_back(job.elastic ? job.speed.best_workers(false) : count.workers);
  }
  const Resources room = room_of_all(view);
  const std::vector<double> row_low(resources, -kUnbounded);
  Clp_loadProblem(lp.get(), static_cast<int>(counts.size()), static_cast<int>(resources),
                  starts.data(), rows.data(), values.data(), low.data(), high.data(), gains.data(),
                  row_low.data(), room.data());
  Clp_dual(lp.get(), 0);
  if (Clp_status(lp.get()) != 0) return counts;
  const double* solution = Clp_primalColumnSolution(lp.get());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i].workers = std::max(1, static_cast<int>(std::floor(solution[i] + 1e-6)));
  }
  return counts;
}

}  // namespace godwit
