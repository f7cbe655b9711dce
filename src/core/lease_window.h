// core/lease_window.h: the leases that are numbered: from the oldest that has not ended to the
// newest. Owned by the node's state machine.
//
// A row that carries a number from within the window may be in use; one that does not is not. That
// is less than a count says, since a newer lease may have ended before an older one; but nothing
// needs to be done to rows when a lease ends. So leases that last for a few ticks are numbered, and
// those that last for longer, before which all newer ones would count as in use, are counted.
#pragma once

#include <cstdint>

#include "core/outstanding.h"
#include "store/row_use.h"

namespace godwit {

class LeaseWindow {
 public:
  explicit LeaseWindow(std::uint64_t first = 1) : leases_(first) {}

  // The number of a new lease. REQUIRES: not full.
  std::uint64_t begin() {
    const std::uint64_t number = leases_.begin();
    if (mark_of(number) != 0) return number;
    leases_.end(number);  // 0 is the mark of rows that no lease has used
    return leases_.begin();
  }
  void end(std::uint64_t number) { leases_.end(number); }
  // A lease stays open while many come and go: the next are counted, until it ends.
  bool is_full() const { return size() >= kLeasesMax; }

  // What rows carry. After 2^32 leases marks come again: a row that nobody used since is taken for
  // one in use then, for as long as that window lasts.
  static std::uint32_t mark_of(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

  bool is_in_use(const RowUse& use) const {
    if (use.leases > 0) return true;
    return mark_of(use.last_lease - leases_.lowest()) < size() && use.last_lease != 0;
  }

 private:
  static constexpr std::uint64_t kLeasesMax = 65536;

  std::uint64_t size() const { return leases_.last() + 1 - leases_.lowest(); }

  Outstanding leases_;
};

}  // namespace godwit
