// base/time_source.cc: the real clock and the hand-driven one.
// Thread-safe.
#include "base/time_source.h"

#include "base/check.h"

namespace godwit {

Time RealTime::now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

void ManualTime::advance(Duration by) {
  GODWIT_CHECK_GE(by, Duration::zero());
  ns_.fetch_add(by.count(), std::memory_order_acq_rel);
}

}  // namespace godwit
