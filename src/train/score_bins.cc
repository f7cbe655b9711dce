// train/score_bins.cc: counting pairs by one pass over the bins.
#include "train/score_bins.h"

#include <algorithm>
#include <cstddef>

namespace godwit {
namespace {

constexpr double kScoreMax = 20;

}  // namespace

void add_score(std::span<double> bins, double log_odds, bool is_click) {
  const double place = (log_odds + kScoreMax) / (2 * kScoreMax) * double{kScoreBins};
  const auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, double{kScoreBins} - 1));
  bins[bin + (is_click ? kScoreBins : 0)] += 1;
}

double area_under_curve(std::span<const double> bins) {
  double below = 0;  // others with smaller scores
  double right = 0;
  double clicks = 0;
  for (std::size_t bin = 0; bin < kScoreBins; ++bin) {
    const double others = bins[bin];
    const double here = bins[bin + kScoreBins];
    right += here * (below + others / 2);
    below += others;
    clicks += here;
  }
  return clicks > 0 && below > 0 ? right / (clicks * below) : 0.5;
}

}  // namespace godwit
