// sched/certificate.cc: prices of a run of the planner, and each job's best at them.
#include "sched/certificate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sched/planner.h"
#include "sched/price_rule.h"

namespace godwit {
namespace {

// The least that a sample can cost a job in a slot, and how many of them a slot can bring.
struct SlotFloor {
  double cost = 0;
  double samples = 0;
};

// One worker with its part of a server costs at least this, wherever they are; and no layout is
// faster, for each of them, than all on one machine or all spread.
SlotFloor floor_of(const Job& job, const Calendar& prices, int slot, double scale) {
  const Cluster& cluster = prices.cluster();
  double together = kNoPrice;
  double worker = kNoPrice;
  double server = kNoPrice;
  int fit_together = 0;
  double fit_all = 0;
  for (MachineIndex h = 0; h < cluster.machine_count(); ++h) {
    const Resources& price = prices.price(slot, h);
    double worker_here = 0;
    double server_here = 0;
    for (std::size_t r = 0; r < kResourcesMax; ++r) {
      worker_here += price[r] * job.worker[r];
      server_here += price[r] * job.server[r];
    }
    const Resources& capacity = cluster.machines[h].capacity;
    const int workers = count_that_fits(job.worker, capacity, job.workers_max);
    const bool holds_server = fits(job.server, capacity);
    if (workers > 0) worker = std::min(worker, worker_here);
    if (holds_server) server = std::min(server, server_here);
    fit_all += workers;
    if (workers > 0 && holds_server) {
      together = std::min(together, worker_here + server_here / job.workers_per_server);
      fit_together = std::max(fit_together, workers);
    }
  }
  SlotFloor floor{kNoPrice, 0};
  const int spread = static_cast<int>(std::min<double>(fit_all, job.workers_max));
  if (fit_together > 0) {
    floor.cost = together * scale / job.speed.most_a_worker(true);
    floor.samples = job.speed.samples(fit_together, true);
  }
  if (spread > 0 && server < kNoPrice) {
    const double cost =
        (worker + server / job.workers_per_server) * scale / job.speed.most_a_worker(false);
    floor.cost = std::min(floor.cost, cost);
    floor.samples = std::max(floor.samples, job.speed.samples(spread, false));
  }
  return floor;
}

// No less than what any schedule of the job pays.
double best_payoff(const Job& job, const Calendar& prices, double scale) {
  std::vector<SlotFloor> floors;  // of the slots so far, the cheapest first
  double most = 0;                // samples that fit into them
  double best = 0;
  for (int t = job.arrival; t < prices.slots(); ++t) {
    const double utility = job.utility.at(t - job.arrival);
    if (utility <= best) break;
    const SlotFloor floor = floor_of(job, prices, t, scale);
    most += floor.samples;
    floors.insert(std::ranges::upper_bound(floors, floor.cost, {}, &SlotFloor::cost), floor);
    if (most < job.work * (1 - 1e-9)) continue;
    double left = job.work;
    double cost = 0;
    for (const SlotFloor& slot : floors) {
      const double samples = std::min(left, slot.samples);
      if (samples > 0) cost += samples * slot.cost;
      left -= samples;
      if (left <= 0) break;
    }
    best = std::max(best, utility - cost);
  }
  return best;
}

}  // namespace

double utility_bound_at(const Instance& instance, const Calendar& prices, double scale) {
  double bound = scale * prices.worth_of_all();
  for (const Job& job : instance.jobs) bound += best_payoff(job, prices, scale);
  return bound;
}

double utility_bound(const Instance& instance) {
  Calendar calendar(instance.cluster, instance.slots);
  const PriceRule rule = make_price_rule(instance.jobs, instance.cluster, instance.slots, {});
  calendar.set_prices(rule);
  Planner planner(calendar, {});
  for (const Job& job : instance.jobs) {
    const Schedule schedule = planner.best(
        {.job = &job, .work = job.work, .first = job.arrival, .last = instance.slots - 1});
    if (schedule.found && schedule.payoff() > 0) reserve(calendar, job, schedule);
  }
  double lowest = utility_bound_at(instance, calendar, 0);
  for (const double scale : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0}) {
    lowest = std::min(lowest, utility_bound_at(instance, calendar, scale));
  }
  return lowest;
}

}  // namespace godwit
