// sched/slot_room.h: what is free in one slot while it is filled, and where a job fits in.
// Owned by one thread.
#pragma once

#include <vector>

#include "sched/job.h"
#include "sched/resources.h"

namespace godwit {

class SlotRoom {
 public:
  // By machine; nothing where a machine is down.
  explicit SlotRoom(std::vector<Resources> room) : room_(std::move(room)) {}

  const std::vector<Resources>& room() const { return room_; }
  bool has_room(const Job& job, const JobShares& placement) const;
  // REQUIRES: has_room().
  void take(const Job& job, const JobShares& placement);
  void give_back(const Job& job, const JobShares& placement);

  // All on the one machine that is left with least room; else on as few machines as possible.
  // Empty if there is no room. Takes nothing.
  JobShares find(const Job& job, int workers) const;
  // Only the first of the two.
  JobShares find_on_one(const Job& job, int workers) const;
  // On the one machine that holds most of them, up to `most`; empty if none holds `least`.
  JobShares find_most_on_one(const Job& job, int least, int most) const;
  // The most workers up to `most` that find() finds room for, and no fewer than `least`; else
  // empty.
  JobShares find_most(const Job& job, int least, int most) const;

  // The old placement if it has that many workers and still fits, else find(); takes it. Empty if
  // there is no room.
  JobShares place(const Job& job, int workers, const JobShares& old);

 private:
  JobShares find_on_several(const Job& job, int workers) const;

  std::vector<Resources> room_;
};

// The most workers that an empty cluster holds, up to `most`: 0 if not even one.
int workers_that_fit(const Job& job, const Cluster& cluster, int most);

}  // namespace godwit
