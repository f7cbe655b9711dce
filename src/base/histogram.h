// base/histogram.h: distribution of non-negative integers (nanoseconds, bytes, counts) in buckets
// whose width is at most 1/16 of their value. Each cell has one writer; reading is thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/cache_line.h"
#include "base/mutex.h"

namespace godwit {

// Log-linear buckets: 0..15 have one each, every later power of two is cut into 16.
struct HistogramBuckets {
  static constexpr std::size_t kCount = 976;

  static constexpr std::size_t index_of(std::uint64_t value) {
    if (value < 16) return static_cast<std::size_t>(value);
    const auto shift = static_cast<std::size_t>(std::bit_width(value)) - 5;
    return (shift + 1) * 16 + static_cast<std::size_t>((value >> shift) & 15);
  }
  // The smallest and the largest value of a bucket. REQUIRES: index < kCount.
  static constexpr std::uint64_t lowest(std::size_t index) {
    if (index < 16) return index;
    return (16 + index % 16) << (index / 16 - 1);
  }
  static constexpr std::uint64_t highest(std::size_t index) {
    if (index < 16) return index;
    return lowest(index) + ((std::uint64_t{1} << (index / 16 - 1)) - 1);
  }
};

struct HistogramSnapshot {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t max = 0;
  std::vector<std::uint64_t> buckets;  // of HistogramBuckets, or empty if count is 0

  // The smallest recorded value such that a share p of all is at or below it, never too low and at
  // most 6.25 % too high; 0 if nothing was recorded. REQUIRES: 0 <= p <= 1.
  std::uint64_t quantile(double p) const;
};

// Written by one thread at a time; 8 KB.
class alignas(kCacheLineSize) HistogramCell {
 public:
  // No locked instruction: plain loads and stores, which readers may see at any moment.
  void record(std::uint64_t value) {
    if (value > max_.load(std::memory_order_relaxed)) {
      max_.store(value, std::memory_order_relaxed);
    }
    add(sum_, value);
    add(buckets_[HistogramBuckets::index_of(value)], 1);
  }

 private:
  friend class Histogram;
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t value) {
    to.store(to.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> max_{0};
  std::atomic<std::uint64_t> sum_{0};
  std::array<std::atomic<std::uint64_t>, HistogramBuckets::kCount> buckets_{};
};

class Histogram {
 public:
  // A cell for one writer; it lives as long as the histogram.
  HistogramCell* make_cell() GODWIT_EXCLUDES(mutex_);

  // While writers go on, sum and max may be ahead of or behind count by what is being recorded.
  HistogramSnapshot snapshot() const GODWIT_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::deque<HistogramCell> cells_ GODWIT_GUARDED_BY(mutex_);
};

}  // namespace godwit
