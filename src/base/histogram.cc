// base/histogram.cc: summing up the cells, and quantiles.
// Thread-safe as histogram.h says.
#include "base/histogram.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace godwit {

std::uint64_t HistogramSnapshot::quantile(double p) const {
  GODWIT_CHECK(p >= 0 && p <= 1);
  if (count == 0) return 0;
  const double wanted = std::ceil(p * static_cast<double>(count));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (seen >= rank) return std::min(HistogramBuckets::highest(i), max);
  }
  return max;
}

HistogramCell* Histogram::make_cell() {
  const MutexLock lock(mutex_);
  return &cells_.emplace_back();
}

HistogramSnapshot Histogram::snapshot() const {
  HistogramSnapshot result;
  result.buckets.resize(HistogramBuckets::kCount);
  const MutexLock lock(mutex_);
  for (const HistogramCell& cell : cells_) {
    result.sum += cell.sum_.load(std::memory_order_relaxed);
    result.max = std::max(result.max, cell.max_.load(std::memory_order_relaxed));
    for (std::size_t i = 0; i < HistogramBuckets::kCount; ++i) {
      result.buckets[i] += cell.buckets_[i].load(std::memory_order_relaxed);
    }
  }
  for (std::size_t i = 0; i < HistogramBuckets::kCount; ++i) {
    if (result.buckets[i] == 0) continue;
    result.count += result.buckets[i];
    // A bucket may be seen before the maximum that came with it.
    result.max = std::max(result.max, HistogramBuckets::lowest(i));
  }
  if (result.count == 0) result.buckets.clear();
  return result;
}

}  // namespace godwit
