// sched/certificate.h: a bound that no schedule can exceed, from the dual program. Pure functions.
#pragma once

#include "sched/calendar.h"
#include "sched/instance.h"

namespace godwit {

// An upper bound on the total utility of any schedule of the instance, online or offline. For any
// prices, worth of all resources plus what each job could gain at most at these prices is such a
// bound, if costs of schedules are not overestimated: they are taken from below (fractions of
// workers, each machine as if it were empty). Several prices are tried; the lowest bound counts.
// Restarts and failures only make schedules worth less; speeds must be the true ones.
double utility_bound(const Instance& instance);

// The bound for these prices times `scale`.
double utility_bound_at(const Instance& instance, const Calendar& prices, double scale);

}  // namespace godwit
