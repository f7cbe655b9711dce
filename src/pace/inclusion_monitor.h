// pace/inclusion_monitor.h: does everybody's data count about equally often? Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"

namespace godwit {

// Counts for each member (a shard, a worker, a part of the samples) how often it was in a step. If
// data stay with workers and slow workers are not waited for, their data hardly count and the
// result is biased (measured: a floor 40-55 times higher).
class InclusionMonitor {
 public:
  static constexpr double kRatioMax = 4;
  static constexpr double kMeanMin = 40;  // fewer on the mean are chance

  // REQUIRES: members >= 1.
  explicit InclusionMonitor(std::size_t members) : counts_(members) {
    GODWIT_CHECK_GE(members, 1U);
  }

  void note(std::size_t member, std::uint64_t times = 1) { counts_.at(member) += times; }

  std::span<const std::uint64_t> counts() const { return counts_; }
  // The most often by the least often included; infinite if one never was.
  double ratio() const {
    const auto [least, most] = std::ranges::minmax(counts_);
    if (least == 0) return most == 0 ? 1 : std::numeric_limits<double>::infinity();
    return static_cast<double>(most) / static_cast<double>(least);
  }
  bool is_alarming() const {
    const auto sum = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    return static_cast<double>(sum) >= kMeanMin * static_cast<double>(counts_.size()) &&
           ratio() > kRatioMax;
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace godwit
