// store/row_use.h: who uses a row that is here, beside the row: a lease that takes one which is
// nobody else's business writes a number, and does nothing when it gives it back.
#pragma once

#include <cstdint>

namespace godwit {

// Belongs to who holds the node's lock; the store only keeps it, from when a row comes until it
// goes. See core/lease_window.h for which leases are counted, and which leave their number.
struct RowUse {
  std::uint32_t leases : 30 = 0;  // counted, each as often as the row occurs in it
  // A lease took it since somebody reset this: who exchanges visits, or looks for the main user of
  // a row that is owned here.
  std::uint32_t is_used : 1 = 0;
  // Something is to be done when the row is taken, or when the last one gives it back
  // (core/leases.h).
  std::uint32_t is_watched : 1 = 0;
  std::uint32_t last_lease = 0;  // the number of the last one that left it
};
static_assert(sizeof(RowUse) == 8);

}  // namespace godwit
