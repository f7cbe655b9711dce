// sched/speed_fit.h: speed models from measured steps. Pure functions.
#pragma once

#include <span>

#include "sched/speed_curve.h"

namespace godwit {

struct MeasuredStep {
  double workers = 1;
  double servers = 1;
  double slots = 0;  // that a step over the whole batch took
};

// t/w + c/p + constant + terms linear in w and p; none is negative. REQUIRES: some step; all
// numbers positive.
FittedSpeed fit_speed(std::span<const MeasuredStep> steps);
// Only t/w + c/p: what the paper's formula comes to.
FittedSpeed fit_paper_form(std::span<const MeasuredStep> steps);

// The median of |predicted / measured - 1|.
double median_error(const FittedSpeed& model, std::span<const MeasuredStep> steps);

}  // namespace godwit
