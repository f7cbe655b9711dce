// core/lease_window_test.cc: rows of leases that have not ended are in use, whatever their numbers.
#include "core/lease_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

RowUse used_by(std::uint64_t lease) {
  return {.last_lease = LeaseWindow::mark_of(lease)};
}

TEST(LeaseWindow, ARowIsInUseUntilItsLeaseEnds) {
  LeaseWindow window;
  EXPECT_FALSE(window.is_in_use({}));
  const std::uint64_t lease = window.begin();
  EXPECT_TRUE(window.is_in_use(used_by(lease)));
  EXPECT_FALSE(window.is_in_use({})) << "no lease has used it";
  window.end(lease);
  EXPECT_FALSE(window.is_in_use(used_by(lease)));
}

TEST(LeaseWindow, ARowMayCountAsUsedUntilAllOlderLeasesEnd) {
  LeaseWindow window;
  const std::uint64_t older = window.begin();
  const std::uint64_t newer = window.begin();
  window.end(newer);
  EXPECT_TRUE(window.is_in_use(used_by(older)));
  window.end(older);
  EXPECT_FALSE(window.is_in_use(used_by(older)));
  EXPECT_FALSE(window.is_in_use(used_by(newer)));
}

TEST(LeaseWindow, CountedLeasesNeedNoNumber) {
  LeaseWindow window;
  EXPECT_TRUE(window.is_in_use({.leases = 1}));
}

// Marks have 32 bits: the window goes over their end, and 0 is nobody's.
TEST(LeaseWindow, NoLeaseIsForgottenWhenMarksBeginAnew) {
  LeaseWindow window((std::uint64_t{1} << 32) - 3);
  std::vector<std::uint64_t> leases;
  for (int i = 0; i < 8; ++i) leases.push_back(window.begin());
  for (const std::uint64_t lease : leases) {
    EXPECT_NE(LeaseWindow::mark_of(lease), 0U);
    EXPECT_TRUE(window.is_in_use(used_by(lease))) << lease;
  }
  EXPECT_FALSE(window.is_in_use({}));
  for (std::size_t i = 0; i < leases.size(); ++i) {
    window.end(leases[i]);
    EXPECT_FALSE(window.is_in_use(used_by(leases[i])));
    if (i + 1 < leases.size()) {
      EXPECT_TRUE(window.is_in_use(used_by(leases[i + 1])));
    }
  }
}

}  // namespace
}  // namespace godwit
