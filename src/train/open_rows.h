// train/open_rows.h: the rows of an open lease as an array of pointers, for inner loops that go
// through them in their own order. Not thread-safe.
#pragma once

#include <vector>

#include "godwit/lease.h"

namespace godwit {

// Valid as long as the lease is open. REQUIRES: it was opened as Access::kRacy.
inline void point_to_rows(const Lease& lease, std::vector<float*>& rows) {
  rows.resize(lease.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = lease[i].value().data();
}

}  // namespace godwit
