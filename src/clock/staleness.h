// clock/staleness.h: what must be stable before a worker may read or go on. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "clock/worker_ticks.h"
#include "godwit/ids.h"
#include "godwit/table_spec.h"

namespace godwit {

inline bool is_bounded(const Consistency& consistency) {
  return consistency.kind != ConsistencyKind::kAsync;
}

// Changes are seen by others when their tick is stable, and not before.
inline bool is_bsp(const Consistency& consistency) {
  return consistency.kind == ConsistencyKind::kBsp;
}

// How many ticks a read may lag; `found`: of tables that find it out. REQUIRES: is_bounded().
inline std::int64_t staleness_of(const Consistency& consistency, std::int64_t found) {
  if (consistency.kind == ConsistencyKind::kAuto) return found;
  return consistency.kind == ConsistencyKind::kSsp ? consistency.staleness : 0;
}

// A read in tick c sees the changes of all workers up to tick c - staleness - 1.
inline Tick needed_to_read(Tick tick, std::int64_t staleness) {
  return std::max(kNoTick, Tick{tick.value() - staleness - 1});
}

// Whoever begins tick c is at most staleness + 1 ticks ahead of the slowest.
inline Tick needed_to_begin(Tick tick, std::int64_t staleness) {
  return std::max(kNoTick, Tick{tick.value() - staleness - 2});
}

}  // namespace godwit
