// sched/calendar.cc: reservations come and go; prices follow.
#include "sched/calendar.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace godwit {

Calendar::Calendar(const Cluster& cluster, int slots) : cluster_(&cluster), slots_(slots) {
  GODWIT_CHECK(slots >= 1);
  const std::size_t cells = static_cast<std::size_t>(slots) * cluster.machines.size();
  room_.reserve(cells);
  for (int t = 0; t < slots; ++t) {
    for (const Machine& machine : cluster.machines) room_.push_back(machine.capacity);
  }
  price_.assign(cells, Resources{});
}

void Calendar::set_prices(const PriceRule& rule) {
  rule_ = rule;
  for (std::size_t r = 0; r < kResourcesMax; ++r) log_ratio_[r] = rule.log_ratio(r);
  for (int t = 0; t < slots_; ++t) {
    for (MachineIndex h = 0; h < cluster_->machines.size(); ++h) reprice(index(t, h), h);
  }
}

void Calendar::reserve(int slot, const Job& job, const JobShares& placement) {
  busy_until_ = std::max(busy_until_, slot);
  for (const Share& share : placement) {
    GODWIT_CHECK(fits(job.demand(share.workers, share.servers), room(slot, share.machine)));
    change(slot, job, share, -1);
  }
}

void Calendar::release(int slot, const Job& job, const JobShares& placement) {
  for (const Share& share : placement) change(slot, job, share, 1);
}

void Calendar::change(int slot, const Job& job, const Share& share, double sign) {
  GODWIT_CHECK(slot >= 0 && slot < slots_);
  const std::size_t at = index(slot, share.machine);
  add_to(room_[at], job.worker, sign * share.workers);
  add_to(room_[at], job.server, sign * share.servers);
  reprice(at, share.machine);
}

void Calendar::reprice(std::size_t at, MachineIndex machine) {
  if (!rule_) return;
  const Resources& capacity = cluster_->machines[machine].capacity;
  for (std::size_t r = 0; r < cluster_->resource_count(); ++r) {
    if (rule_->highest[r] <= 0) continue;
    const double taken = capacity[r] > 0 ? 1 - room_[at][r] / capacity[r] : 1;
    price_[at][r] = rule_->lowest * std::exp(log_ratio_[r] * std::clamp(taken, 0.0, 1.0));
  }
}

double Calendar::worth_of_all() const {
  double sum = 0;
  for (int t = 0; t < slots_; ++t) {
    for (MachineIndex h = 0; h < cluster_->machines.size(); ++h) {
      const Resources& prices = price(t, h);
      for (std::size_t r = 0; r < kResourcesMax; ++r) {
        sum += prices[r] * cluster_->machines[h].capacity[r];
      }
    }
  }
  return sum;
}

}  // namespace godwit
