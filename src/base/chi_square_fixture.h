// base/chi_square_fixture.h: do counts look drawn with given probabilities? For tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace godwit {

// Of honest seeds, one in 30,000 gives more standard deviations than this.
inline constexpr double kSigmasMax = 4;

// How far Pearson's statistic lies above its mean, in standard deviations (Wilson and Hilferty's
// normal form). `seen[k]` are counts of independent draws and `probability[k]` their chances,
// adding up to one. Bins that expect fewer than 10 are taken together with their successors. A bin
// that was seen and has probability zero makes it infinite.
inline double chi_square_sigmas(const std::vector<double>& seen,
                                const std::vector<double>& probability) {
  double draws = 0;
  for (const double n : seen) draws += n;
  double statistic = 0;
  double bins = 0;
  double bin_seen = 0;
  double bin_expected = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (probability[k] == 0 && seen[k] > 0) return std::numeric_limits<double>::infinity();
    bin_seen += seen[k];
    bin_expected += probability[k] * draws;
    if (bin_expected < 10) continue;
    statistic += (bin_seen - bin_expected) * (bin_seen - bin_expected) / bin_expected;
    bins += 1;
    bin_seen = bin_expected = 0;
  }
  EXPECT_GE(bins, 2) << "too few draws to say anything";
  const double part = 2 / (9 * (bins - 1));
  return (std::cbrt(statistic / (bins - 1)) - (1 - part)) / std::sqrt(part);
}

}  // namespace godwit
