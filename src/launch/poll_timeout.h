// launch/poll_timeout.h: a deadline in the form of poll(). Thread-safe: no state.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time_source.h"

namespace godwit {

// Milliseconds until `deadline`, rounded up and at most a minute; -1 for none.
inline int poll_timeout_ms(const std::optional<Time>& deadline, Time now) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace godwit
