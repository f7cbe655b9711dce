// pace/load_ladder.cc: shares of the full load, between which other numbers of rungs interpolate.
#include "pace/load_ladder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace godwit {
namespace {

constexpr std::array kShares = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0};

// The share at `place` in [0, 1] of the ladder.
double share_at(double place) {
  const double at = place * static_cast<double>(kShares.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kShares.size() - 2);
  const double part = at - static_cast<double>(below);
  return kShares[below] * (1 - part) + kShares[below + 1] * part;
}

}  // namespace

LoadLadder::LoadLadder(std::uint32_t full_load, std::size_t rungs) {
  GODWIT_CHECK_GE(full_load, 1U);
  GODWIT_CHECK_GE(rungs, 1U);
  for (std::size_t i = 0; i + 1 < rungs; ++i) {
    const double share = share_at(static_cast<double>(i) / static_cast<double>(rungs - 1));
    const double load = std::max(1.0, std::round(share * full_load));
    const auto whole = static_cast<std::uint32_t>(load);
    if (whole < full_load && (loads_.empty() || loads_.back() < whole)) loads_.push_back(whole);
  }
  loads_.push_back(full_load);
}

std::uint32_t LoadLadder::lowest_from(std::uint32_t samples) const {
  const auto found = std::lower_bound(loads_.begin(), loads_.end(), samples);
  return found == loads_.end() ? full() : *found;
}

}  // namespace godwit
