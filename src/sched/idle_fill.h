// sched/idle_fill.h: what runs beside the reservations of a slot, so that nothing stands idle.
#pragma once

#include <vector>

#include "sched/cluster_view.h"
#include "sched/policy.h"
#include "sched/slot_room.h"

namespace godwit {

// Adds jobs to `out` that are not in it, and gives those in it more workers, as far as there is
// room; those first that come first in `order`. Placements stay as they were in the slot before
// where a change would cost more than it brings.
void fill_idle(const ClusterView& view, const std::vector<JobIndex>& order, SlotRoom& room,
               SlotPlan& out);

}  // namespace godwit
