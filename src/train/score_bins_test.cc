// train/score_bins_test.cc: the area against counting all pairs.
#include "train/score_bins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(ScoreBins, TheAreaIsTheShareOfPairsInOrder) {
  Prng prng(5);
  std::vector<double> bins(2 * kScoreBins);
  std::vector<std::pair<double, bool>> scores;
  for (int i = 0; i < 2000; ++i) {
    const bool is_click = prng.uniform() < 0.3;
    const double score = prng.normal() + (is_click ? 1 : 0);
    scores.emplace_back(score, is_click);
    add_score(bins, score, is_click);
  }
  double right = 0;
  double pairs = 0;
  for (const auto& [one, one_clicks] : scores) {
    for (const auto& [other, other_clicks] : scores) {
      if (!one_clicks || other_clicks) continue;
      pairs += 1;
      right += one > other ? 1 : 0;
    }
  }
  EXPECT_NEAR(area_under_curve(bins), right / pairs, 2e-4);
}

TEST(ScoreBins, ExtremesAndNobodyAreFine) {
  std::vector<double> bins(2 * kScoreBins);
  EXPECT_EQ(area_under_curve(bins), 0.5);
  add_score(bins, 1e9, true);
  add_score(bins, -1e9, false);
  EXPECT_EQ(area_under_curve(bins), 1.0);
  add_score(bins, 1e9, false);
  EXPECT_EQ(area_under_curve(bins), 0.75) << "a tie counts half";
}

}  // namespace
}  // namespace godwit
