// train/recent_median.h: the usual of the last few numbers, whatever one of them is.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace godwit {

class RecentMedian {
 public:
  static constexpr std::size_t kKept = 15;

  void add(double number) { numbers_[count_++ % kKept] = number; }

  // 0 if there are none.
  double median() const {
    const std::size_t n = std::min(count_, kKept);
    if (n == 0) return 0;
    std::array<double, kKept> sorted = numbers_;
    std::nth_element(sorted.begin(), sorted.begin() + n / 2, sorted.begin() + n);
    return sorted[n / 2];
  }

 private:
  std::array<double, kKept> numbers_{};
  std::size_t count_ = 0;
};

}  // namespace godwit
