// sched/speed_fit.cc: which terms go into the fit.
#include "sched/speed_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "sched/linear_fit.h"

namespace godwit {
namespace {

FittedSpeed fit(std::span<const MeasuredStep> steps, bool all_terms) {
  std::vector<std::vector<double>> rows;
  std::vector<double> targets;
  for (const MeasuredStep& step : steps) {
    GODWIT_CHECK(step.workers > 0 && step.servers > 0);
    std::vector<double> row{1 / step.workers, 1 / step.servers};
    if (all_terms) row.insert(row.end(), {1.0, step.workers, step.servers});
    rows.push_back(std::move(row));
    targets.push_back(step.slots);
  }
  std::vector<double> factors = fit_factors(rows, targets);
  factors.resize(5, 0);
  return {factors[0], factors[1], factors[2], factors[3], factors[4]};
}

}  // namespace

FittedSpeed fit_speed(std::span<const MeasuredStep> steps) {
  return fit(steps, true);
}
FittedSpeed fit_paper_form(std::span<const MeasuredStep> steps) {
  return fit(steps, false);
}

double median_error(const FittedSpeed& model, std::span<const MeasuredStep> steps) {
  std::vector<double> errors;
  for (const MeasuredStep& step : steps) {
    errors.push_back(std::abs(model.step_slots(step.workers, step.servers) / step.slots - 1));
  }
  GODWIT_CHECK(!errors.empty());
  std::ranges::sort(errors);
  return errors[errors.size() / 2];
}

}  // namespace godwit
