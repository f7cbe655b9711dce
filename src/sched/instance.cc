// sched/instance.cc: what describes an instance, and what makes its jobs fit its cluster.
#include "sched/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "sched/slot_room.h"

namespace godwit {

double Instance::load(bool to_horizon) const {
  const Resources total = cluster.total();
  double needed = 0;
  int first = slots;
  int last = 0;
  for (const Job& job : jobs) {
    Resources one = job.worker;
    add_to(one, job.server, 1.0 / job.workers_per_server);
    needed += job.work / job.speed.most_a_worker(true) * dominant_share(one, total);
    first = std::min(first, job.arrival);
    last = std::max(last, job.arrival);
  }
  const int span = to_horizon ? slots : last - first + 1;
  return span > 0 ? needed / span : 0;
}

std::string Instance::class_mix() const {
  std::array<std::size_t, 3> counts{};
  for (const Job& job : jobs) ++counts[static_cast<std::size_t>(job.job_class)];
  const double all = std::max<double>(1, static_cast<double>(jobs.size())) / 100;
  return fmt::format("{:.0f}/{:.0f}/{:.0f} %", static_cast<double>(counts[0]) / all,
                     static_cast<double>(counts[1]) / all, static_cast<double>(counts[2]) / all);
}

Result<> settle_jobs(Instance& instance) {
  std::ranges::stable_sort(instance.jobs, [](const Job& a, const Job& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.arrived < b.arrived;
  });
  JobIndex index = 0;
  for (Job& job : instance.jobs) {
    job.index = index++;
    const std::string where = job.place.empty() ? "" : job.place + ": ";
    if (job.arrival >= instance.slots) {
      return invalid_argument("{}job '{}' comes in slot {}, but the last one is {}", where,
                              job.name, job.arrival, instance.slots - 1);
    }
    const int most = workers_that_fit(job, instance.cluster, std::max(1, job.workers_wanted));
    if (most == 0 || (!job.elastic && most < job.workers_wanted)) {
      return invalid_argument("{}job '{}': the empty cluster does not hold {}", where, job.name,
                              most == 0 ? "one worker and one server of it"
                                        : fmt::format("its {} workers", job.workers_wanted));
    }
    job.workers_wanted = most;
  }
  return {};
}

}  // namespace godwit
