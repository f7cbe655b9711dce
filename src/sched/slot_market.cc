// sched/slot_market.cc: the cheapest machine, and the cheapest machines.
#include "sched/slot_market.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace godwit {

void SlotMarket::open(int first, int last, std::span<const char> is_up) {
  GODWIT_CHECK(first <= last);
  first_ = first;
  const std::size_t machines = calendar_->cluster().machine_count();
  const std::size_t resources = calendar_->cluster().resource_count();
  room_.resize(machines);
  worker_cost_.assign(machines, 0);
  server_cost_.assign(machines, 0);
  worker_fit_.resize(machines);
  server_fit_.resize(machines);
  taken_at_.assign(machines, -1);
  is_sorted_ = false;
  const int busy = std::min(last, calendar_->busy_until());
  price_.resize(machines);
  for (MachineIndex h = 0; h < machines; ++h) {
    room_[h] = calendar_->room(first, h);
    price_[h] = calendar_->price(first, h);
  }
  for (int t = first + 1; t <= busy; ++t) {
    for (MachineIndex h = 0; h < machines; ++h) {
      const Resources& room = calendar_->room(t, h);
      const Resources& price = calendar_->price(t, h);
      for (std::size_t r = 0; r < resources; ++r) {
        room_[h][r] = std::min(room_[h][r], room[r]);
        price_[h][r] += price[r];
      }
    }
  }
  const int alike = last - std::max(first, busy);  // slots with nothing reserved
  for (MachineIndex h = 0; h < machines; ++h) {
    if (!is_up.empty() && is_up[h] == 0) {
      room_[h].fill(-1);
      worker_fit_[h] = server_fit_[h] = 0;
      continue;
    }
    for (std::size_t r = 0; r < resources; ++r) {
      if (alike > 0) price_[h][r] += alike * calendar_->price(last, h)[r];
      worker_cost_[h] += price_[h][r] * job_->worker[r];
      server_cost_[h] += price_[h][r] * job_->server[r];
    }
    worker_fit_[h] = count_that_fits(job_->worker, room_[h], SpeedCurve::kWorkersMax);
    server_fit_[h] = count_that_fits(job_->server, room_[h], SpeedCurve::kWorkersMax);
  }
}

void SlotMarket::sort_machines() const {
  if (is_sorted_) return;
  by_worker_cost_.resize(room_.size());
  std::iota(by_worker_cost_.begin(), by_worker_cost_.end(), MachineIndex{0});
  by_server_cost_ = by_worker_cost_;
  // Of equal cost, those where more fits: fewer machines, less to exchange between them.
  std::ranges::sort(by_worker_cost_, [this](MachineIndex a, MachineIndex b) {
    if (worker_cost_[a] != worker_cost_[b]) return worker_cost_[a] < worker_cost_[b];
    return worker_fit_[a] != worker_fit_[b] ? worker_fit_[a] > worker_fit_[b] : a < b;
  });
  std::ranges::sort(by_server_cost_, [this](MachineIndex a, MachineIndex b) {
    if (server_cost_[a] != server_cost_[b]) return server_cost_[a] < server_cost_[b];
    return server_fit_[a] != server_fit_[b] ? server_fit_[a] > server_fit_[b] : a < b;
  });
  is_sorted_ = true;
}

double SlotMarket::internal(int workers, int servers, JobShares* out) const {
  const Resources demand = job_->demand(workers, servers);
  double best = kNoPrice;
  MachineIndex where = 0;
  for (MachineIndex h = 0; h < room_.size(); ++h) {
    if (worker_fit_[h] < workers || server_fit_[h] < servers) continue;
    const double cost = worker_cost_[h] * workers + server_cost_[h] * servers;
    if (cost >= best || !fits(demand, room_[h])) continue;
    best = cost;
    where = h;
  }
  if (best < kNoPrice && out != nullptr) *out = {{where, workers, servers}};
  return best;
}

bool SlotMarket::take(bool of_workers, int count, double& cost) {
  const std::vector<MachineIndex>& order = of_workers ? by_worker_cost_ : by_server_cost_;
  const std::vector<int>& fit = of_workers ? worker_fit_ : server_fit_;
  const Resources& one = of_workers ? job_->worker : job_->server;
  for (const MachineIndex h : order) {
    if (count == 0) break;
    int most = fit[h];
    if (most == 0) continue;
    int at = taken_at_[h];
    if (at >= 0) {
      Resources room = room_[h];
      add_to(room, job_->worker, -taken_[static_cast<std::size_t>(at)].workers);
      add_to(room, job_->server, -taken_[static_cast<std::size_t>(at)].servers);
      most = count_that_fits(one, room, most);
      if (most == 0) continue;
    } else {
      at = taken_at_[h] = static_cast<int>(taken_.size());
      taken_.push_back({h, 0, 0});
    }
    const int now = std::min(most, count);
    Taken& taken = taken_[static_cast<std::size_t>(at)];
    (of_workers ? taken.workers : taken.servers) += now;
    cost += now * (of_workers ? worker_cost_ : server_cost_)[h];
    count -= now;
  }
  return count == 0;
}

double SlotMarket::fill(int workers, int servers, bool workers_first) {
  for (const Taken& taken : taken_) taken_at_[taken.machine] = -1;
  taken_.clear();
  double cost = 0;
  const bool found = workers_first ? take(true, workers, cost) && take(false, servers, cost)
                                   : take(false, servers, cost) && take(true, workers, cost);
  return found ? cost : kNoPrice;
}

double SlotMarket::external(int workers, int servers, JobShares* out) {
  sort_machines();
  const double servers_first = fill(workers, servers, false);
  other_ = taken_;
  double cost = fill(workers, servers, true);
  const bool other_is_better = servers_first < cost;
  if (other_is_better) cost = servers_first;
  if (cost < kNoPrice && out != nullptr) {
    out->clear();
    for (const Taken& taken : other_is_better ? other_ : taken_) {
      if (taken.workers + taken.servers == 0) continue;
      out->push_back({taken.machine, taken.workers, taken.servers});
    }
    std::ranges::sort(*out, {}, &Share::machine);
  }
  return cost;
}

double SlotMarket::keep(const JobShares& placement) const {
  double cost = 0;
  for (const Share& share : placement) {
    if (!fits(job_->demand(share.workers, share.servers), room_[share.machine])) return kNoPrice;
    cost +=
        worker_cost_[share.machine] * share.workers + server_cost_[share.machine] * share.servers;
  }
  return cost;
}

bool SlotMarket::repair(int workers, int servers, std::vector<int>& worker_counts,
                        std::vector<int>& server_counts) const {
  sort_machines();
  const auto add = [&](bool of_workers, int missing) {
    for (const MachineIndex h : of_workers ? by_worker_cost_ : by_server_cost_) {
      if (missing <= 0) break;
      Resources room = room_[h];
      add_to(room, job_->worker, -worker_counts[h]);
      add_to(room, job_->server, -server_counts[h]);
      const int now = count_that_fits(of_workers ? job_->worker : job_->server, room, missing);
      (of_workers ? worker_counts : server_counts)[h] += now;
      missing -= now;
    }
    return missing <= 0;
  };
  const int workers_there = std::accumulate(worker_counts.begin(), worker_counts.end(), 0);
  const int servers_there = std::accumulate(server_counts.begin(), server_counts.end(), 0);
  return add(true, workers - workers_there) && add(false, servers - servers_there);
}

}  // namespace godwit
