// sched/idle_fill.cc: who is not running first, then more workers for all, then whatever is faster.
#include "sched/idle_fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace godwit {
namespace {

// What a worker must bring, of what one on a machine with all others brings, to run elsewhere
// while others may have a better use for the room.
constexpr double kWorthSpreading = 0.5;

// How workers are added to jobs that run; each pass has what the one before left.
struct Pass {
  double worth_spreading = 0;
  bool hastens = false;  // also jobs that end in this slot anyway
};
constexpr std::array kPasses{Pass{kWorthSpreading, false}, Pass{0, false}, Pass{0, true}};

double speed_of(const Job& job, const JobShares& placement) {
  return placement.empty() ? 0 : job.speed.samples(workers_of(placement), is_internal(placement));
}

// The fastest placement with no more than `most` workers that uses them well enough.
JobShares best_placement(const SlotRoom& room, const Job& job, int most, double worth_spreading) {
  const int least = job.workers_min();
  most = std::min(most, job.elastic ? job.speed.best_workers(false) : job.workers_wanted);
  if (most < least) return {};
  JobShares best = room.find_most_on_one(job, least, most);
  if (workers_of(best) == most) return best;
  JobShares spread = room.find_most(job, least, most);
  if (spread.empty() || is_internal(spread)) return best.empty() ? spread : best;
  const int workers = workers_of(spread);
  const double of_a_worker = job.speed.samples(workers, false) / workers;
  const bool worth_it =
      best.empty() || of_a_worker >= worth_spreading * job.speed.most_a_worker(true);
  return worth_it && speed_of(job, spread) > speed_of(job, best) ? spread : best;
}

// The fewest workers with which it ends in as many slots as with the most: what more of them save
// is less than a slot, in which others could run.
int enough_workers(const JobState& state, double restart) {
  const Job& job = *state.job;
  const double slots = std::ceil(state.left() / job.speed.fastest(true) + restart - 1e-9);
  const double samples = state.left() * (1 - 1e-9) / (slots - restart);
  const int workers = job.speed.workers_for(samples, true);
  return workers > 0 ? std::max(workers, job.workers_min()) : job.workers_max;
}

// What the job gets done in the slot, and how long it takes until it ends if it goes on like that.
struct Outlook {
  double samples = 0;
  double slots = std::numeric_limits<double>::infinity();
};
Outlook outlook(const ClusterView& view, const JobState& state, const JobShares& placement) {
  if (placement.empty()) return {};
  const double lost = state.placement == placement ? 0 : view.restart();
  const double speed = speed_of(*state.job, placement);
  return {std::min(state.left(), (1 - lost) * speed), lost + state.left() / speed};
}

bool is_better(const Outlook& a, const Outlook& b, bool hastens) {
  if (a.samples > b.samples * (1 + 1e-9)) return true;
  return hastens && a.samples >= b.samples && a.slots < b.slots * (1 - 1e-9);
}

// Adds workers to one job that runs with `current`, or has it stay where it was.
void enlarge(const ClusterView& view, const JobState& state, const Pass& pass, SlotRoom& room,
             JobShares& current) {
  room.give_back(*state.job, current);
  JobShares larger = best_placement(room, *state.job, state.job->workers_max, pass.worth_spreading);
  Outlook best = outlook(view, state, current);
  if (room.has_room(*state.job, state.placement)) {
    const Outlook as_before = outlook(view, state, state.placement);
    if (is_better(as_before, best, pass.hastens)) {
      current = state.placement;
      best = as_before;
    }
  }
  if (is_better(outlook(view, state, larger), best, pass.hastens)) current = std::move(larger);
  room.take(*state.job, current);
}

}  // namespace

void fill_idle(const ClusterView& view, const std::vector<JobIndex>& order, SlotRoom& room,
               SlotPlan& out) {
  std::vector<int> place(order.empty() ? 0 : *std::ranges::max_element(order) + 1, -1);
  for (std::size_t i = 0; i < out.size(); ++i) place[out[i].job] = static_cast<int>(i);
  for (const JobIndex index : order) {
    if (place[index] >= 0) continue;
    const JobState& state = view.state(index);
    JobShares placement = state.placement;
    if (placement.empty() || !room.has_room(*state.job, placement)) {
      const int most = enough_workers(state, view.restart());
      placement = best_placement(room, *state.job, most, kWorthSpreading);
    }
    if (placement.empty()) continue;
    room.take(*state.job, placement);
    place[index] = static_cast<int>(out.size());
    out.push_back({index, std::move(placement)});
  }
  for (const Pass& pass : kPasses) {
    for (const JobIndex index : order) {
      if (place[index] < 0) continue;
      JobShares& current = out[static_cast<std::size_t>(place[index])].placement;
      enlarge(view, view.state(index), pass, room, current);
    }
  }
}

}  // namespace godwit
