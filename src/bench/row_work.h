// bench/row_work.h: what a benchmark's worker computes with the rows of an open lease. Each row is
// locked for itself, never two at a time, so that workers cannot wait for each other in a circle.
#pragma once

#include <span>

#include "bench/patterns.h"
#include "godwit/lease.h"

namespace godwit {

// One step of a pattern on the rows of its keys. Every row's counters grow by one for each time it
// occurs in the lease. REQUIRES: the lease is open, for keys of this kind of pattern.
void work_on(PatternKind kind, const Lease& lease);

// What a row holds before the first step: small random numbers that depend on the key, and zero
// in the counters.
void write_start(const Pattern& pattern, Key key, std::span<float> row);

}  // namespace godwit
