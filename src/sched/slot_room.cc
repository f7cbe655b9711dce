// sched/slot_room.cc: best fit on one machine, else the roomiest machines first.
#include "sched/slot_room.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

// How full a machine would be, as its fullest resource: what is left counts, not what it had.
double room_left(const Resources& room, const Resources& demand) {
  double left = 0;
  for (std::size_t r = 0; r < kResourcesMax; ++r) {
    if (demand[r] > 0) left += (room[r] - demand[r]) / demand[r];
  }
  return left;
}

// The most workers, with their servers as far as those are still missing, that one machine holds.
int joint_fit(const Job& job, const Resources& room, int workers, int servers) {
  int low = 0;
  int high = count_that_fits(job.worker, room, workers);
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    const int with = std::min(servers, job.servers_for(middle));
    if (fits(job.demand(middle, with), room)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

bool SlotRoom::has_room(const Job& job, const JobShares& placement) const {
  return std::ranges::all_of(placement, [&](const Share& share) {
    return fits(job.demand(share.workers, share.servers), room_[share.machine]);
  });
}

void SlotRoom::take(const Job& job, const JobShares& placement) {
  for (const Share& share : placement) {
    add_to(room_[share.machine], job.worker, -share.workers);
    add_to(room_[share.machine], job.server, -share.servers);
  }
}

void SlotRoom::give_back(const Job& job, const JobShares& placement) {
  for (const Share& share : placement) {
    add_to(room_[share.machine], job.worker, share.workers);
    add_to(room_[share.machine], job.server, share.servers);
  }
}

JobShares SlotRoom::find_on_one(const Job& job, int workers) const {
  const int servers = job.servers_for(workers);
  const Resources demand = job.demand(workers, servers);
  double least = 0;
  JobShares found;
  for (MachineIndex h = 0; h < room_.size(); ++h) {
    if (!fits(demand, room_[h])) continue;
    const double left = room_left(room_[h], demand);
    if (!found.empty() && left >= least) continue;
    least = left;
    found = {{h, workers, servers}};
  }
  return found;
}

JobShares SlotRoom::find_most_on_one(const Job& job, int least, int most) const {
  int best = std::max(1, least) - 1;
  double tightest = 0;
  MachineIndex where = 0;
  for (MachineIndex h = 0; h < room_.size(); ++h) {
    if (!fits(job.worker, room_[h])) continue;
    const int fit = joint_fit(job, room_[h], most, job.servers_for(most));
    if (fit < best || fit < least || fit == 0) continue;
    const double left = room_left(room_[h], job.demand(fit));
    if (fit == best && left >= tightest) continue;
    best = fit;
    tightest = left;
    where = h;
  }
  if (best < std::max(1, least)) return {};
  return {{where, best, job.servers_for(best)}};
}

JobShares SlotRoom::find(const Job& job, int workers) const {
  JobShares found = find_on_one(job, workers);
  return found.empty() ? find_on_several(job, workers) : found;
}

JobShares SlotRoom::find_on_several(const Job& job, int workers) const {
  int servers = job.servers_for(workers);
  std::vector<std::pair<int, MachineIndex>> order;
  for (MachineIndex h = 0; h < room_.size(); ++h) {
    const int fit = joint_fit(job, room_[h], workers, servers);
    if (fit > 0) order.emplace_back(-fit, h);
  }
  std::ranges::sort(order);
  JobShares placement;
  for (const auto& [fit, machine] : order) {
    if (workers == 0) break;
    const int here = joint_fit(job, room_[machine], std::min(workers, -fit), servers);
    if (here == 0) continue;
    const int with = std::min(servers, job.servers_for(here));
    placement.push_back({machine, here, with});
    workers -= here;
    servers -= with;
  }
  if (workers > 0) return {};
  for (MachineIndex h = 0; h < room_.size() && servers > 0; ++h) {
    const auto share = std::ranges::find(placement, h, &Share::machine);
    Resources room = room_[h];
    if (share != placement.end()) {
      add_to(room, job.worker, -share->workers);
      add_to(room, job.server, -share->servers);
    }
    const int more = count_that_fits(job.server, room, servers);
    if (more == 0) continue;
    servers -= more;
    if (share != placement.end()) {
      share->servers += more;
    } else {
      placement.push_back({h, 0, more});
    }
  }
  if (servers > 0) return {};
  std::ranges::sort(placement, {}, &Share::machine);
  return placement;
}

JobShares SlotRoom::find_most(const Job& job, int least, int most) const {
  JobShares best;
  int low = least;
  int high = most;
  while (low <= high) {
    // The middle, but the end first: mostly it is the answer.
    const int tried = high == most ? high : (low + high + 1) / 2;
    JobShares found = find(job, tried);
    if (found.empty()) {
      high = tried - 1;
      if (tried == low) break;
    } else {
      best = std::move(found);
      low = tried + 1;
    }
  }
  return best;
}

JobShares SlotRoom::place(const Job& job, int workers, const JobShares& old) {
  const bool keeps = !old.empty() && workers_of(old) == workers && has_room(job, old);
  JobShares placement = keeps ? old : find(job, workers);
  take(job, placement);
  return placement;
}

int workers_that_fit(const Job& job, const Cluster& cluster, int most) {
  std::vector<Resources> room;
  for (const Machine& machine : cluster.machines) room.push_back(machine.capacity);
  return workers_of(SlotRoom(std::move(room)).find_most(job, 1, most));
}

}  // namespace godwit
