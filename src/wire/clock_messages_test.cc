// wire/clock_messages_test.cc: the bytes of clocks.
#include "wire/clock_messages.h"

#include "wire/golden.h"

namespace godwit {
namespace {

TEST(Clock, HasTheseBytes) {
  expect_golden(Clock{.flushed = Tick{7}, .slowest = WorkerId{3}},
                "28 000000 08000000 0300080000000000");
  expect_golden(Clock{.flushed = kNoTick, .slowest = WorkerId{70'000}},
                "28 000000 08000000 ffff000000000000");
  expect_golden(Clock{.flushed = kEndOfTime}, "28 000000 08000000 0000ffffffffffff");
}

TEST(JoinClock, HasTheseBytes) {
  expect_golden(JoinClock{}, "29 000000 00000000");
}

TEST(JoinedClock, HasTheseBytes) {
  expect_golden(JoinedClock{.stable = Tick{258}, .last = kNoTick},
                "2a 000000 10000000 0201000000000000 ffffffffffffffff");
}

TEST(Clock, OfAnotherLengthIsRefused) {
  EXPECT_NE(refusal<Clock>("28 000000 00000000"), "");
  EXPECT_NE(refusal<JoinClock>("29 000000 08000000 0700000000000000"), "");
  EXPECT_NE(refusal<JoinedClock>("2a 000000 00000000"), "");
}

}  // namespace
}  // namespace godwit
