// wire/group_messages_test.cc: the bytes of groups, their rounds and their exchanges.
#include "wire/group_messages.h"

#include <array>

#include "wire/exchange_messages.h"
#include "wire/golden.h"

namespace godwit {
namespace {

TEST(GroupJoins, HasTheseBytes) {
  expect_golden(GroupJoins{.request = 17, .incarnation = 3, .group = 1, .rank = 0, .size = 2},
                "38 000000 1c000000 1100000000000000 0300000000000000 01000000 00000000 02000000"
                "00000000");
}

TEST(GroupJoins, OfARankThatCannotBeIsRefused) {
  EXPECT_NE(refusal<GroupJoins>(
                "38 000000 1c000000 1100000000000000 0300000000000000 01000000 02000000 02000000"
                "00000000"),
            "");
}

TEST(GroupProgress, HasTheseBytes) {
  expect_golden(GroupProgress{.step = 258}, "39 000000 08000000 0201000000000000");
}

TEST(GroupLeaves, HasTheseBytes) {
  expect_golden(GroupLeaves{}, "3a 000000 00000000");
}

TEST(GroupsNow, HasTheseBytes) {
  const std::array<GroupRecord, 1> live{{{.life = 3, .group = 1, .size = 2}}};
  expect_golden(GroupsNow{.version = 5, .round = 7, .live = live},
                "3b 000000 28000000 0500000000000000 0700000000000000 01000000 00000000"
                "0300000000000000 01000000 02000000");
}

TEST(Exchange, HasTheseBytes) {
  const std::array<Key, 1> keys{5};
  const std::array<std::uint32_t, 2> words{3, 0x3f800000};
  expect_golden(Exchange{.request = 17,
                         .round = 7,
                         .samples = 32,
                         .life = 3,
                         .table = TableId{4},
                         .group = 1,
                         .mode = ExchangeMode::kSync,
                         .codec = {.codec = ExchangeCodec::kTopK, .floats = 4, .kept = 1},
                         .reply = ExchangeCodec::kBf16,
                         .is_whole = false,
                         .keeps_shadow = true,
                         .keys = keys,
                         .words = words},
                "3c 000000 50000000 1100000000000000 0700000000000000 2000000000000000"
                "0300000000000000 04000000 01000000 04000000 01000000 01000000"
                "03 03 01 00 01 00000000000000 0500000000000000 03000000 0000803f");
}

TEST(Exchange, ThatKeepsWhatItCannotIsRefused) {
  const std::string head =
      "3c 000000 40000000 1100000000000000 0700000000000000 2000000000000000 0300000000000000"
      "04000000 01000000 04000000";
  EXPECT_EQ(refusal<Exchange>(head + "00000000 00000000 00 00 00 00 00 00000000000000"), "");
  // In fp32, some; in top-k, none or more than a row has.
  EXPECT_NE(refusal<Exchange>(head + "01000000 00000000 00 00 00 00 00 00000000000000"), "");
  EXPECT_NE(refusal<Exchange>(head + "00000000 00000000 00 03 00 00 00 00000000000000"), "");
  EXPECT_NE(refusal<Exchange>(head + "05000000 00000000 00 03 00 00 00 00000000000000"), "");
  // Answers in top-k there are none; nor a fifth mode.
  EXPECT_NE(refusal<Exchange>(head + "00000000 00000000 00 00 03 00 00 00000000000000"), "");
  EXPECT_NE(refusal<Exchange>(head + "00000000 00000000 04 00 00 00 00 00000000000000"), "");
}

TEST(Exchange, ThatSaysMoreThanItHasIsRefused) {
  EXPECT_NE(
      refusal<Exchange>("3c 000000 40000000 1100000000000000 0700000000000000 2000000000000000"
                        "0300000000000000 04000000 01000000 ffffffff 00000000 ffffffff"
                        "00 00 00 00 00 00000000000000"),
      "");
}

TEST(Exchanged, HasTheseBytes) {
  const std::array<std::uint32_t, 2> words{1, 2};
  expect_golden(Exchanged{.request = 17,
                          .next_round = 8,
                          .count = 1,
                          .live = 2,
                          .alpha = 0.5F,
                          .is_counted = true,
                          .codec = {.floats = 2},
                          .words = words},
                "3d 000000 30000000 1100000000000000 0800000000000000 01000000 02000000 0000003f"
                "02000000 00 01 000000000000 01000000 02000000");
}

TEST(RoundPart, HasTheseBytes) {
  expect_golden(RoundPart{.round = 7, .life = 3, .group = 1, .rank = 0, .size = 2},
                "3e 000000 1c000000 0700000000000000 0300000000000000 01000000 00000000 02000000"
                "00000000");
}

TEST(RoundReady, HasTheseBytes) {
  expect_golden(RoundReady{.round = 7, .life = 3, .group = 1},
                "3f 000000 14000000 0700000000000000 0300000000000000 01000000 00000000");
}

TEST(RoundEnds, HasTheseBytes) {
  const std::array<GroupRecord, 1> chosen{{{.life = 3, .group = 1, .size = 0}}};
  expect_golden(RoundEnds{.round = 7, .chosen = chosen},
                "40 000000 20000000 0700000000000000 01000000 00000000 0300000000000000 01000000"
                "00000000");
}

}  // namespace
}  // namespace godwit
