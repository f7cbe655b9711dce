// wire/table_messages_test.cc: bytes of specs and of opening tables, and what is refused.
#include "wire/table_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "wire/golden.h"

namespace godwit {
namespace {

TableSpec users() {
  return {.name = "users",
          .rows = 1000,
          .row_length = 64,
          .rule = {.kind = RuleKind::kAdam,
                   .learning_rate = 1.0F,
                   .mu = 2.0F,
                   .beta1 = 0.5F,
                   .beta2 = 0.25F,
                   .epsilon = 4.0F},
          .init = {.kind = InitKind::kNormal, .scale = -1.0F, .seed = 99},
          .consistency = {.kind = ConsistencyKind::kSsp, .staleness = -2},
          .accept_nonfinite = true,
          .placement = Placement::kStatic,
          .codec = Codec::kBf16};
}

constexpr std::string_view kUsers =
    "e803000000000000 40000000 04 03 01 01 02 01 0000"
    "0000803f 00000040 0000003f 0000803e 00008040 000080bf"
    "6300000000000000 feffffffffffffff 0500 7573657273";

TEST(OpenTable, HasTheseBytes) {
  expect_golden(OpenTable{.request = 17, .origin = NodeId(2), .spec = users()},
                "10 000000 4f000000 1100000000000000 02000000" + std::string(kUsers) + "00");
}

TEST(MakeTable, HasTheseBytes) {
  expect_golden(MakeTable{.table = TableId(4), .spec = users()},
                "11 000000 47000000 04000000" + std::string(kUsers) + "00");
}

TEST(MadeTable, HasTheseBytes) {
  expect_golden(MadeTable{.table = TableId(4)}, "12 000000 08000000 04000000 01 00 0000");
  expect_golden(
      MadeTable{.table = TableId(4), .ok = false, .code = ErrorCode::kOutOfMemory, .text = "no"},
      "12 000000 0a000000 04000000 00 02 0200 6e6f 000000000000");
}

TEST(TableReady, HasTheseBytes) {
  expect_golden(TableReady{.request = 17, .table = TableId(4)},
                "13 000000 10000000 1100000000000000 04000000 01 00 0000");
  expect_golden(TableReady{.request = 17,
                           .table = TableId(4),
                           .ok = false,
                           .code = ErrorCode::kNotFound,
                           .text = "no"},
                "13 000000 12000000 1100000000000000 04000000 00 01 0200 6e6f 000000000000");
}

TEST(DropTable, HasTheseBytes) {
  expect_golden(DropTable{.table = TableId(4)}, "14 000000 04000000 04000000 00000000");
}

// An ok has one encoding: what its code and text hold does not travel.
TEST(MadeTable, OkCarriesNoError) {
  expect_golden(MadeTable{.table = TableId(4), .code = ErrorCode::kTimeout, .text = "no"},
                "12 000000 08000000 04000000 01 00 0000");
  EXPECT_EQ(refusal<MadeTable>("12 000000 08000000 04000000 01 01 0000"),
            "made table: code is set though it is ok");
  EXPECT_EQ(refusal<MadeTable>("12 000000 0a000000 04000000 01 00 0200 6e6f 000000000000"),
            "made table: text is there though it is ok");
  EXPECT_EQ(refusal<MadeTable>("12 000000 08000000 04000000 02 00 0000"),
            "made table: ok is 2, which it cannot be");
  EXPECT_EQ(refusal<MadeTable>("12 000000 08000000 04000000 00 07 0000"),
            "made table: code is 7, which it cannot be");
}

std::string refused_spec(std::size_t byte, const std::string& hex) {
  std::string part = without_spaces("11 000000 47000000 04000000" + std::string(kUsers) + "00");
  const std::size_t spec_begin = 12;
  part.replace(2 * (spec_begin + byte), hex.size(), hex);
  return refusal<MakeTable>(part);
}

TEST(TableSpecCodec, ChecksEnumsAndLengths) {
  EXPECT_EQ(refused_spec(12, "06"), "");
  EXPECT_EQ(refused_spec(12, "07"), "make table: rule is 7, which it cannot be");
  EXPECT_EQ(refused_spec(13, "04"), "make table: init is 4, which it cannot be");
  EXPECT_EQ(refused_spec(14, "04"), "make table: consistency is 4, which it cannot be");
  EXPECT_EQ(refused_spec(15, "02"), "make table: accept_nonfinite is 2, which it cannot be");
  EXPECT_EQ(refused_spec(16, "06"), "make table: placement is 6, which it cannot be");
  EXPECT_EQ(refused_spec(17, "03"), "make table: codec is 3, which it cannot be");
  EXPECT_EQ(refused_spec(18, "02"), "make table: scratch is 2, which it cannot be");
  EXPECT_EQ(refused_spec(19, "01"), "make table: a zero byte is not zero");
  EXPECT_EQ(refused_spec(60, "0600"),
            "make table: name announced to have 6 elements of 1 bytes, but 5 bytes are left");
  EXPECT_EQ(refused_spec(60, "0400"), "make table: 1 bytes left over");
  EXPECT_EQ(refused_spec(60, "8100"),
            "make table: name announced to have 129 bytes, at most 128 are allowed");
}

// Sense is for validate(): a table of no rows still travels, so that its opener gets the answer.
TEST(TableSpecCodec, DoesNotJudgeValues) {
  EXPECT_EQ(refused_spec(0, "0000000000000000"), "");
  EXPECT_EQ(refused_spec(8, "00000000"), "");
  EXPECT_EQ(refused_spec(20, "0000c07f"), "");
}

TEST(TableSpecCodec, LongestNameTravels) {
  TableSpec spec = users();
  spec.name = std::string(kNameBytesMax, 'n');
  const auto frame = make_frame(0, MakeTable{.table = TableId(1), .spec = spec});
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  const auto make = MakeTable::decode(*view->begin());
  ASSERT_TRUE(make.ok());
  EXPECT_EQ(make->spec, spec);
  spec.name += 'n';
  EXPECT_DEATH(make_frame(0, MakeTable{.table = TableId(1), .spec = spec}), "max");
}

}  // namespace
}  // namespace godwit
