// sched/slot_market.h: what it costs to have some workers of one job in one slot (or a span of
// slots that share a placement), and where they then are: the paper's algorithm 4 without its
// linear program. Owned by one thread; the calendar must not change while it is used.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sched/calendar.h"
#include "sched/job.h"

namespace godwit {

inline constexpr double kNoPrice = std::numeric_limits<double>::infinity();

// Room and unit costs of one job on each machine during a span of slots.
class SlotMarket {
 public:
  SlotMarket(const Calendar& calendar, const Job& job) : calendar_(&calendar), job_(&job) {}

  // The slots [first, last]; machines that are down have no room. REQUIRES: first <= last.
  void open(int first, int last, std::span<const char> is_up);

  // All of them on the one machine where they cost least; kNoPrice if none has room. The placement
  // is written if it is asked for.
  double internal(int workers, int servers, JobShares* out = nullptr) const;
  // Anywhere, the cheapest machines first; once with the workers before the servers, once the other
  // way round. kNoPrice if neither way finds room.
  double external(int workers, int servers, JobShares* out = nullptr);
  // What that placement costs here; kNoPrice if there is no room for it.
  double keep(const JobShares& placement) const;

  int first() const { return first_; }
  std::size_t machine_count() const { return room_.size(); }
  const Job& job() const { return *job_; }
  // By machine: what is free in all the slots, and what a worker or a server costs in all of them.
  const std::vector<Resources>& room() const { return room_; }
  const std::vector<double>& worker_cost() const { return worker_cost_; }
  const std::vector<double>& server_cost() const { return server_cost_; }

  // Adds what is missing of `workers` and `servers` to counts by machine, the cheapest first;
  // returns false if there is no room. REQUIRES: the counts fit.
  bool repair(int workers, int servers, std::vector<int>& worker_counts,
              std::vector<int>& server_counts) const;

 private:
  struct Taken {
    MachineIndex machine = 0;
    int workers = 0;
    int servers = 0;
  };
  double fill(int workers, int servers, bool workers_first);
  bool take(bool of_workers, int count, double& cost);
  void sort_machines() const;

  const Calendar* calendar_;
  const Job* job_;
  int first_ = 0;
  std::vector<Resources> room_;
  std::vector<Resources> price_;  // of a unit in all the slots
  std::vector<double> worker_cost_;
  std::vector<double> server_cost_;
  std::vector<int> worker_fit_;
  std::vector<int> server_fit_;
  mutable bool is_sorted_ = false;
  mutable std::vector<MachineIndex> by_worker_cost_;
  mutable std::vector<MachineIndex> by_server_cost_;
  std::vector<int> taken_at_;  // by machine: place in taken_, or -1
  std::vector<Taken> taken_;
  std::vector<Taken> other_;
};

}  // namespace godwit
