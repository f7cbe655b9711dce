// store/hold_times.h: how long rows are locked by who copies and moves them: a histogram of one
// hold in kSampleEvery. Thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time_source.h"

namespace godwit {

class HoldTimes {
 public:
  static constexpr std::uint32_t kSampleEvery = 8;
  // Upper bounds of the buckets; the last one has none.
  static constexpr std::array<Duration, 5> kBounds{
      std::chrono::microseconds(1), std::chrono::microseconds(2), std::chrono::microseconds(5),
      std::chrono::microseconds(20), std::chrono::microseconds(1000)};

  // REQUIRES: `time` outlives this.
  explicit HoldTimes(const TimeSource& time) : time_(time) {}

  // When a hold begins, if it is one that counts; else Time::max().
  Time begin() {
    const std::uint32_t number = holds_.fetch_add(1, std::memory_order_relaxed);
    return number % kSampleEvery == 0 ? time_.now() : Time::max();
  }
  void end(Time begun) {
    if (begun == Time::max()) return;
    const Duration held = time_.now() - begun;
    const auto bucket = std::find_if(kBounds.begin(), kBounds.end(),
                                     [held](Duration bound) { return held <= bound; });
    counts_[static_cast<std::size_t>(bucket - kBounds.begin())].fetch_add(
        1, std::memory_order_relaxed);
    if (held.count() > longest_ns_.load(std::memory_order_relaxed)) {
      longest_ns_.store(held.count(), std::memory_order_relaxed);  // of two at once, any
    }
  }

  std::uint64_t count(std::size_t bucket) const {
    return counts_[bucket].load(std::memory_order_relaxed);
  }
  Duration longest() const { return Duration(longest_ns_.load(std::memory_order_relaxed)); }

 private:
  const TimeSource& time_;
  std::atomic<std::uint32_t> holds_{0};
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::int64_t> longest_ns_{0};
};

}  // namespace godwit
