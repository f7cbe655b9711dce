// train/exchange_interval.h: after how many steps of its own a group exchanges parameters, so that
// this takes little of its time. Not thread-safe; knows no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "train/recent_median.h"

namespace godwit {

class ExchangeInterval {
 public:
  static constexpr double kShareAim = 0.08;  // of the time, so that it stays below a tenth
  // Beyond this, groups drift apart for what is hardly worth measuring.
  static constexpr std::int64_t kStepsMax = 256;

  // Given: always so many steps.
  explicit ExchangeInterval(std::optional<std::int64_t> fixed) : fixed_(fixed) {}

  void on_step(double seconds) { steps_.add(seconds); }
  void on_exchange(double seconds);

  // From one exchange to the next.
  std::int64_t steps() const { return fixed_.value_or(found_); }

 private:
  const std::optional<std::int64_t> fixed_;
  RecentMedian steps_;
  RecentMedian exchanges_;
  std::int64_t found_ = 1;
};

}  // namespace godwit
