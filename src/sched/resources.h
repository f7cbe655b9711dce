// sched/resources.h: amounts of several kinds of resources. Values; no state.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace godwit {

inline constexpr std::size_t kResourcesMax = 6;

// Amounts by the number of the resource in its Cluster; those beyond its count are 0.
using Resources = std::array<double, kResourcesMax>;

// What is left over by rounding does not make something not fit.
inline constexpr double kResourceSlack = 1e-9;

inline bool fits(const Resources& wanted, const Resources& room) {
  for (std::size_t r = 0; r < kResourcesMax; ++r) {
    if (wanted[r] > room[r] + kResourceSlack * (1 + room[r])) return false;
  }
  return true;
}

inline Resources times(const Resources& one, double count) {
  Resources sum = one;
  for (double& amount : sum) amount *= count;
  return sum;
}

inline Resources plus(const Resources& a, const Resources& b) {
  Resources sum = a;
  for (std::size_t r = 0; r < kResourcesMax; ++r) sum[r] += b[r];
  return sum;
}

inline void add_to(Resources& sum, const Resources& one, double count) {
  for (std::size_t r = 0; r < kResourcesMax; ++r) sum[r] += one[r] * count;
}

// How many of `one` the room holds, at most `most`.
inline int count_that_fits(const Resources& one, const Resources& room, int most) {
  double count = most;
  for (std::size_t r = 0; r < kResourcesMax; ++r) {
    if (one[r] <= 0) continue;
    count = std::min(count, (room[r] + kResourceSlack * (1 + room[r])) / one[r]);
  }
  return count <= 0 ? 0 : static_cast<int>(std::floor(count));
}

// The largest share of any resource of `whole` that `part` is.
inline double dominant_share(const Resources& part, const Resources& whole) {
  double share = 0;
  for (std::size_t r = 0; r < kResourcesMax; ++r) {
    if (whole[r] > 0) share = std::max(share, part[r] / whole[r]);
  }
  return share;
}

}  // namespace godwit
