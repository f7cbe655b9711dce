// sched/idle_fill.cc: who is not running first, then more workers for all.
#include "sched/idle_fill.h"

#include <algorithm>
#include <utility>

namespace godwit {
namespace {

// What a worker must bring, of what one on a machine with all others brings, to run elsewhere.
constexpr double kWorthSpreading = 0.5;

double speed_of(const Job& job, const Placement& placement) {
  return placement.empty() ? 0 : job.speed.samples(workers_of(placement), is_internal(placement));
}

// The fastest placement with no more than `most` workers that uses them well enough.
Placement best_placement(const SlotRoom& room, const Job& job, int most) {
  const int least = job.workers_min();
  most = std::min(most, job.elastic ? job.speed.best_workers(false) : job.workers_wanted);
  if (most < least) return {};
  Placement best = room.find_most_on_one(job, least, most);
  if (workers_of(best) == most) return best;
  Placement spread = room.find_most(job, least, most);
  if (spread.empty() || is_internal(spread)) return best.empty() ? spread : best;
  const int workers = workers_of(spread);
  const double of_a_worker = job.speed.samples(workers, false) / workers;
  const bool worth_it =
      best.empty() || of_a_worker >= kWorthSpreading * job.speed.most_a_worker(true);
  return worth_it && speed_of(job, spread) > speed_of(job, best) ? spread : best;
}

// What the job gets done in the slot.
double progress(const ClusterView& view, const JobState& state, const Placement& placement) {
  const double slots = state.placement == placement ? 1 : 1 - view.restart();
  return std::min(state.left(), slots * speed_of(*state.job, placement));
}

}  // namespace

void fill_idle(const ClusterView& view, const std::vector<JobIndex>& order, SlotRoom& room,
               SlotPlan& out) {
  std::vector<int> place(order.empty() ? 0 : *std::ranges::max_element(order) + 1, -1);
  for (std::size_t i = 0; i < out.size(); ++i) place[out[i].job] = static_cast<int>(i);
  for (const JobIndex index : order) {
    if (place[index] >= 0) continue;
    const JobState& state = view.state(index);
    Placement placement = state.placement;
    if (placement.empty() || !room.has_room(*state.job, placement)) {
      placement = best_placement(room, *state.job, state.job->workers_max);
    }
    if (placement.empty()) continue;
    room.take(*state.job, placement);
    place[index] = static_cast<int>(out.size());
    out.push_back({index, std::move(placement)});
  }
  for (const JobIndex index : order) {
    if (place[index] < 0) continue;
    const JobState& state = view.state(index);
    Placement& current = out[static_cast<std::size_t>(place[index])].placement;
    room.give_back(*state.job, current);
    Placement larger = best_placement(room, *state.job, state.job->workers_max);
    const bool old_fits = !state.placement.empty() && room.has_room(*state.job, state.placement);
    double most = progress(view, state, current);
    if (old_fits && progress(view, state, state.placement) > most * (1 + 1e-9)) {
      current = state.placement;
      most = progress(view, state, current);
    }
    if (progress(view, state, larger) > most * (1 + 1e-9)) current = std::move(larger);
    room.take(*state.job, current);
  }
}

}  // namespace godwit
