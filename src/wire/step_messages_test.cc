// wire/step_messages_test.cc: the bytes of steps.
#include "wire/step_messages.h"

#include <array>

#include "wire/golden.h"

namespace godwit {
namespace {

TEST(StepBegins, HasTheseBytes) {
  const std::array<ChosenRecord, 1> chosen{{{.step = 6, .node = 1, .worker = 2}}};
  const std::array<ShareRecord, 1> shares{{{.first = 258, .count = 32, .worker = 3}}};
  expect_golden(StepBegins{.step = 7,
                           .samples = 40,
                           .late_max = 10,
                           .keeps_reference = true,
                           .chosen = chosen,
                           .shares = shares},
                "30 000000 40000000 0700000000000000 2800000000000000 0a000000 00 01 00 00"
                "01000000 01000000 0600000000000000 01000000 02000000"
                "0201000000000000 20000000 03000000");
}

TEST(StepResult, HasTheseBytes) {
  expect_golden(StepResult{.step = 7,
                           .worker = WorkerId{2},
                           .is_whole = true,
                           .samples = 32,
                           .loss = 1,
                           .half_difference = 2,
                           .compute_ns = 3,
                           .spared_ns = 4},
                "31 000000 31000000 0700000000000000 02000000 20000000 000000000000f03f"
                "0000000000000040 0300000000000000 0400000000000000 01 00000000000000");
}

TEST(StepMovement, HasTheseBytes) {
  expect_golden(StepMovement{.step = 7, .distance = 1, .turn = -2, .gradient = 2},
                "32 000000 20000000 0700000000000000 000000000000f03f 00000000000000c0"
                "0000000000000040");
}

TEST(JoinSteps, HasTheseBytes) {
  const std::array<std::uint32_t, 2> workers{0, 5};
  expect_golden(JoinSteps{.workers = workers, .how = "so"},
                "33 000000 10000000 02000000 00000000 05000000 0200736f");
}

TEST(StepBegins, OfStepZeroIsRefused) {
  EXPECT_NE(refusal<StepBegins>("30 000000 20000000 0000000000000000 0000000000000000"
                                "0000000000000000 0000000000000000"),
            "");
}

TEST(StepBegins, ThatSaysMoreThanItHasIsRefused) {
  EXPECT_NE(refusal<StepBegins>("30 000000 20000000 0100000000000000 0000000000000000"
                                "0000000000000000 ffffffff ffffffff"),
            "");
  EXPECT_NE(refusal<JoinSteps>("33 000000 08000000 02000000 00000000"), "");
}

TEST(StepResult, WithANegativeTimeIsRefused) {
  EXPECT_NE(refusal<StepResult>("31 000000 31000000 0700000000000000 02000000 20000000"
                                "000000000000f03f 0000000000000040 ffffffffffffffff"
                                "0400000000000000 01 00000000000000"),
            "");
}

}  // namespace
}  // namespace godwit
