// sched/linear_fit.h: least squares with factors that are not negative. Pure function.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace godwit {

// Factors f >= 0 for which the sum over rows of ((row . f - target) / target)^2 is small: relative
// errors count. Factors that come out negative are set to 0, the lowest first, and the others are
// found again. REQUIRES: rows of equal length, as many as there are positive targets, at least one.
std::vector<double> fit_factors(const std::vector<std::vector<double>>& rows,
                                std::span<const double> targets);

}  // namespace godwit
