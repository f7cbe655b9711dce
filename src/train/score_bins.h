// train/score_bins.h: a histogram of scores of clicks and of the rest, whose sums over workers give
// the area under the ROC curve. Pure.
#pragma once

#include <span>
#include <vector>

namespace godwit {

// Scores are log odds; beyond +-20 they are alike. Bins are 0.005 wide: with smooth scores the area
// is right to 1e-6 or so, and ties count half, as they must.
inline constexpr std::size_t kScoreBins = 8000;

// REQUIRES: bins.size() == 2 * kScoreBins: first those of the rest, then those of clicks.
void add_score(std::span<double> bins, double log_odds, bool is_click);

// The share of pairs of a click and another that are in the right order. 0.5 if there are none.
double area_under_curve(std::span<const double> bins);

}  // namespace godwit
