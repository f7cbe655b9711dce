// base/ticks_test.cc: ticks in few bits.
#include "base/ticks.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ShortTick, IsTheTickNearTheOneThatIsKnown) {
  for (const std::int64_t tick :
       {std::int64_t{0}, std::int64_t{1}, kShortTickCount - 1, kShortTickCount,
        3 * kShortTickCount + 5, std::int64_t{1} << 45}) {
    for (const std::int64_t off : {-1000, -1, 0, 1, 1000}) {
      if (tick + off < -1) continue;
      EXPECT_EQ(lengthen(shorten(Tick{tick}), Tick{tick + off}), Tick{tick}) << tick << " " << off;
    }
  }
}

TEST(ShortTick, OfNoTickIsNothing) {
  EXPECT_EQ(shorten(kNoTick), 0U);
  EXPECT_EQ(lengthen(0, Tick{1000}), kNoTick);
}

}  // namespace
}  // namespace godwit
