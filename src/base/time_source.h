// base/time_source.h: where time comes from. Always a constructor argument, so that the simulator
// and the tests own it. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace godwit {

using Duration = std::chrono::nanoseconds;

// The tag of our own time points: it has no now(), so no code can ask for the time behind the
// TimeSource's back, and a Time cannot be mixed up with a wall clock's.
struct TimeLine {};

// Nanoseconds since an arbitrary start; comparable only between readings of one TimeSource.
using Time = std::chrono::time_point<TimeLine, Duration>;

class TimeSource {
 public:
  virtual ~TimeSource() = default;
  // Never goes back.
  virtual Time now() const = 0;
};

// The machine's monotonic clock. Its Times are what CondVar and BoundedQueue take as deadlines.
class RealTime final : public TimeSource {
 public:
  Time now() const override;
};

// Stands still until it is advanced.
class ManualTime final : public TimeSource {
 public:
  explicit ManualTime(Time start = Time{}) : ns_(start.time_since_epoch().count()) {}

  Time now() const override { return Time(Duration(ns_.load(std::memory_order_acquire))); }

  // REQUIRES: by >= 0.
  void advance(Duration by);

 private:
  std::atomic<std::int64_t> ns_;
};

}  // namespace godwit
