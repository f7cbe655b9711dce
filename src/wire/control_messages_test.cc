// wire/control_messages_test.cc: bytes of barriers, signs of life and farewell.
#include "wire/control_messages.h"

#include <gtest/gtest.h>

#include "wire/golden.h"

namespace godwit {
namespace {

TEST(Barrier, HasTheseBytes) {
  expect_golden(Barrier{.number = 17, .node = NodeId(2)},
                "20 000000 0c000000 1100000000000000 02000000 00000000");
}

TEST(Released, HasTheseBytes) {
  expect_golden(Released{.number = 17}, "21 000000 0c000000 1100000000000000 00000000 00000000");
}

TEST(Beat, HasTheseBytes) {
  expect_golden(Beat{}, "22 000000 00000000");
  EXPECT_EQ(refusal<Beat>("22 000000 01000000 0000000000000000"), "beat: 1 bytes left over");
}

TEST(Receipt, HasTheseBytes) {
  expect_golden(Receipt{}, "23 000000 00000000");
  EXPECT_EQ(refusal<Receipt>("23 000000 08000000 0000000000000000"), "receipt: 8 bytes left over");
}

TEST(Bye, HasTheseBytes) {
  expect_golden(Bye{.reason = ByeReason::kFailed, .text = "full"},
                "24 000000 08000000 01 00 0400 66756c6c");
  expect_golden(Bye{}, "24 000000 04000000 00 00 0000 00000000");
}

TEST(Bye, UnknownReasonIsRefused) {
  EXPECT_EQ(refusal<Bye>("24 000000 04000000 02 00 0000 00000000"),
            "bye: reason is 2, which it cannot be");
  EXPECT_EQ(refusal<Bye>("24 000000 04000000 01 05 0000 00000000"), "bye: a zero byte is not zero");
}

TEST(ControlDeathTest, PartsOfAnotherTypeAreNotDecoded) {
  EXPECT_DEATH((void)Beat::decode({.type = PartType::kReceipt}), "type");
}

}  // namespace
}  // namespace godwit
