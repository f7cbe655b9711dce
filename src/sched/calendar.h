// sched/calendar.h: what is reserved on each machine in each slot, and what a unit costs there.
// Owned by one thread.
#pragma once

#include <optional>
#include <vector>

#include "sched/cluster.h"
#include "sched/job.h"
#include "sched/price_rule.h"

namespace godwit {

class Calendar {
 public:
  // REQUIRES: slots >= 1; `cluster` outlives it.
  Calendar(const Cluster& cluster, int slots);

  int slots() const { return slots_; }
  const Cluster& cluster() const { return *cluster_; }

  // From now on room has prices; before, they are 0.
  void set_prices(const PriceRule& rule);
  const std::optional<PriceRule>& prices() const { return rule_; }

  // REQUIRES, of all below: 0 <= slot < slots(), a machine of the cluster.
  // What is not reserved.
  const Resources& room(int slot, MachineIndex machine) const {
    return room_[index(slot, machine)];
  }
  // Of a unit, by resource.
  const Resources& price(int slot, MachineIndex machine) const {
    return price_[index(slot, machine)];
  }
  // After this slot nothing was ever reserved: all later ones are alike. -1: no slot was.
  int busy_until() const { return busy_until_; }

  // REQUIRES: there is room for it.
  void reserve(int slot, const Job& job, const JobShares& placement);
  // REQUIRES: it was reserved.
  void release(int slot, const Job& job, const JobShares& placement);

  // Sum over slots and machines of capacity times price: the dual's second part.
  double worth_of_all() const;

 private:
  std::size_t index(int slot, MachineIndex machine) const {
    return static_cast<std::size_t>(slot) * cluster_->machines.size() + machine;
  }
  void change(int slot, const Job& job, const Share& share, double sign);
  void reprice(std::size_t at, MachineIndex machine);

  const Cluster* cluster_;
  int slots_;
  std::vector<Resources> room_;
  std::vector<Resources> price_;
  int busy_until_ = -1;  // never falls: releases do not look for the last one
  std::optional<PriceRule> rule_;
  Resources log_ratio_{};
};

}  // namespace godwit
