// sched/settle_wishes.h: a plan looks at slots as if moving were a matter of their beginning; real
// jobs move only when it pays. Pure; thread-safe: no state.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sched/job_book.h"
#include "sched/slot_room.h"

namespace godwit {

// A job that is on machines.
struct HeldJob {
  const Job* model = nullptr;
  JobShares placement;
  double left = 0;         // samples
  bool may_move = true;    // else it stays, whatever is wished
  bool must_move = false;  // a machine of it is away
};

// Changes wishes so that who is well where it is stays there: if nobody else is to have its place
// and what it would gain, until its end, is not more than `restart` (in slots) costs. Wishes for
// which there is then no room are dropped. `order`: who comes first; `room`: machines that are up,
// empty; `waiting`: models of jobs with a wish that are not held.
void settle_wishes(const std::map<std::int64_t, HeldJob>& held,
                   const std::map<std::int64_t, const Job*>& waiting,
                   const std::vector<std::int64_t>& order, double restart, SlotRoom room,
                   Wishes& wishes);

}  // namespace godwit
