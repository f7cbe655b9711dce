// sched/rounding.h: randomized rounding of a mixed packing and covering program, as in the paper.
// Pure functions.
#pragma once

#include <span>
#include <vector>

#include "base/prng.h"

namespace godwit {

// The factor G by which a fractional solution is multiplied before it is rounded, so that with
// probability 1 - delta the favoured rows hold: `rows` of them, in which a unit of a variable is at
// most 1 / width of the right side. REQUIRES: rows >= 1, width > 0, 0 < delta <= 1.
double packing_gain(double rows, double width, double delta);   // in (0, 1]
double covering_gain(double rows, double width, double delta);  // above 1

// Each value times gain: up with the probability of its fraction, else down, independently.
std::vector<int> round_randomly(std::span<const double> values, double gain, Prng& prng);

}  // namespace godwit
