// sched/fifo_policy.h: first come, first served, with the workers that each job wants; on request
// with EASY backfilling: who does not delay the first in the queue may overtake it.
#pragma once

#include <vector>

#include "sched/policy.h"
#include "sched/slot_room.h"

namespace godwit {

class FifoPolicy final : public Policy {
 public:
  explicit FifoPolicy(bool backfills) : backfills_(backfills) {}

  Verdict on_arrival(const Job& job, ClusterView& view) override;
  void on_slot(ClusterView& view, SlotPlan& out) override;

 private:
  void backfill(ClusterView& view, SlotRoom& room, SlotPlan& out);

  bool backfills_;
};

}  // namespace godwit
