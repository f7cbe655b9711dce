// wire/row_messages_test.cc: bytes of pulls, pushes and answers; hostile counts; rows in place.
#include "wire/row_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "wire/golden.h"

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr Key kKeys[] = {5, 0x0102030405060708};
constexpr std::uint32_t kPositions[] = {9, 1};
constexpr float kFloats[] = {1.0F, -2.0F};

TEST(Pull, HasTheseBytes) {
  const Pull pull{
      .request = 17, .origin = NodeId(2), .table = TableId(4), .hops = 1, .keys = kKeys};
  expect_golden(pull,
                "01 000000 30000000"
                "1100000000000000 02000000 04000000 02000000 01 00 00 00 00000000 00000000"
                "0500000000000000 0807060504030201");
  Pull part = pull;
  part.positions = kPositions;
  part.via_home = true;
  part.claim = 3;
  part.stable = shorten(Tick{6});
  expect_golden(part,
                "01 000000 38000000"
                "1100000000000000 02000000 04000000 02000000 01 01 01 00 03000000 07000000"
                "0500000000000000 0807060504030201 09000000 01000000");
}

TEST(Answer, HasTheseBytes) {
  const Answer answer{.request = 17,
                      .owner = NodeId(2),
                      .row_length = 1,
                      .count = 2,
                      .values = kFloats,
                      .positions = kPositions};
  expect_golden(answer,
                "02 000000 28000000"
                "1100000000000000 02000000 01000000 02000000 01 000000"
                "0000803f 000000c0 09000000 01000000");
}

TEST(Push, HasTheseBytes) {
  const Push push{.request = 17,
                  .origin = NodeId(2),
                  .table = TableId(4),
                  .hops = 1,
                  .mode = PushMode::kSetResetState,
                  .row_length = 1,
                  .keys = kKeys,
                  .floats = kFloats};
  expect_golden(push,
                "03 000000 38000000"
                "1100000000000000 02000000 04000000 01000000 02000000 01 02 000000000000"
                "0500000000000000 0807060504030201 0000803f 000000c0");
  Push marked = push;
  marked.mark = TickMark{.tick = Tick(258), .worker = WorkerId(3), .order = 5};
  expect_golden(marked,
                "03 000000 48000000"
                "1100000000000000 02000000 04000000 01000000 02000000 01 02 00 02 00000000"
                "0201000000000000 03000000 05000000"
                "0500000000000000 0807060504030201 0000803f 000000c0");
}

TEST(Applied, HasTheseBytes) {
  expect_golden(Applied{.request = 17, .owner = NodeId(2), .count = 3},
                "04 000000 10000000 1100000000000000 02000000 03000000");
}

TEST(Refused, HasTheseBytes) {
  expect_golden(
      Refused{
          .request = 17, .by = NodeId(2), .count = 3, .code = ErrorCode::kTimeout, .text = "late"},
      "05 000000 18000000"
      "1100000000000000 02000000 03000000 04 00 0400 6c617465");
}

TEST(Refused, LongTextIsCut) {
  const std::string text(5000, 'x');
  const auto frame = make_frame(0, Refused{.text = text});
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  const auto refused = Refused::decode(*view->begin());
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->text, text.substr(0, kTextBytesMax));
}

TEST(Pull, HostileCountsAreRefused) {
  const auto with_count = [](const std::string& count, const std::string& flags) {
    return refusal<Pull>("01 000000 28000000 1100000000000000 02000000 04000000" + count + flags +
                         "00000000 00000000 0500000000000000");
  };
  EXPECT_EQ(with_count("01000000", "00 00 0000"), "");
  EXPECT_THAT(with_count("02000000", "00 00 0000"), HasSubstr("keys announced to have 2"));
  EXPECT_THAT(with_count("ffffffff", "00 00 0000"), HasSubstr("keys announced to have 4294967295"));
  EXPECT_THAT(with_count("00000020", "00 00 0000"), HasSubstr("keys announced to have 536870912"));
  EXPECT_EQ(with_count("00000000", "00 00 0000"), "pull: 8 bytes left over");
  EXPECT_THAT(with_count("01000000", "00 01 0000"), HasSubstr("positions announced to have 1"));
  EXPECT_EQ(with_count("01000000", "00 02 0000"), "pull: has_positions is 2, which it cannot be");
  EXPECT_EQ(with_count("01000000", "00 00 0004"), "pull: how is no such number");
  EXPECT_EQ(refusal<Pull>("01 000000 20000000 1100000000000000 02000000 04000000 00000000 00010000"
                          "00000000 00000000"),
            "pull: has_positions is 1 without a row");
}

TEST(Answer, HostileCountsAreRefused) {
  const auto with_counts = [](const std::string& row_length, const std::string& count) {
    return refusal<Answer>("02 000000 20000000 1100000000000000 02000000" + row_length + count +
                           "00 000000 0000803f 000000c0");
  };
  EXPECT_EQ(with_counts("01000000", "02000000"), "");
  EXPECT_EQ(with_counts("02000000", "01000000"), "");
  EXPECT_EQ(with_counts("00000000", "ffffffff"), "answer: row_length is 0, which it cannot be");
  EXPECT_THAT(with_counts("ffffffff", "ffffffff"), HasSubstr("values announced"));
  // The product of the counts, and its bytes, pass 2^32 and 2^64: 2^31 * 2^31 * 4 is 0 in 64 bits.
  EXPECT_THAT(with_counts("00000080", "00000080"), HasSubstr("values announced"));
  EXPECT_THAT(with_counts("00000080", "02000000"), HasSubstr("values announced"));
  EXPECT_EQ(with_counts("01000000", "01000000"), "answer: 4 bytes left over");
}

TEST(Push, HostileCountsAreRefused) {
  const auto with_counts = [](const std::string& row_length, const std::string& count,
                              const std::string& mode = "00") {
    return refusal<Push>("03 000000 30000000 1100000000000000 02000000 04000000" + row_length +
                         count + "00" + mode + "000000000000 0500000000000000 0000803f 000000c0");
  };
  EXPECT_EQ(with_counts("02000000", "01000000"), "");
  EXPECT_EQ(with_counts("00000000", "02000000"), "push: row_length is 0, which it cannot be");
  EXPECT_THAT(with_counts("02000000", "03000000"), HasSubstr("keys announced to have 3"));
  EXPECT_THAT(with_counts("ffffffff", "ffffffff"), HasSubstr("keys announced"));
  EXPECT_THAT(with_counts("ffffffff", "01000000"), HasSubstr("floats announced"));
  EXPECT_EQ(with_counts("01000000", "01000000"), "push: 4 bytes left over");
  EXPECT_EQ(with_counts("02000000", "01000000", "06"), "push: mode is 6, which it cannot be");
  EXPECT_EQ(with_counts("02000000", "01000000", "05"), "push: extra is not 2 in a step");
}

TEST(Refused, UnknownCodesAndLongTextsAreRefused) {
  const std::string head = "1100000000000000 02000000 03000000";
  EXPECT_EQ(refusal<Refused>("05 000000 14000000" + head + "07 00 0000 00000000"),
            "refused: code is 7, which it cannot be");
  EXPECT_EQ(refusal<Refused>("05 000000 14000000" + head + "06 01 0000 00000000"),
            "refused: a zero byte is not zero");
  EXPECT_EQ(refusal<Refused>("05 000000 14000000" + head + "06 00 0104 00000000"),
            "refused: text announced to have 1025 bytes, at most 1024 are allowed");
}

// A batch as it is in practice, written by hand into the frame and read where it lies.
TEST(RowMessages, LargeBatchesAreFilledAndReadInPlace) {
  constexpr std::uint32_t kCount = 1024;
  constexpr std::uint32_t kLength = 64;
  const Answer head{.request = 1, .owner = NodeId(3), .row_length = kLength, .count = kCount};
  FrameWriter writer(Answer::part_bytes(kCount, kLength, true) + Push::part_bytes(kCount, kLength),
                     1);
  const auto answer_room = Answer::begin(writer, head, /*has_positions=*/true);
  ASSERT_EQ(answer_room.values.size(), std::size_t{kCount} * kLength);
  ASSERT_EQ(answer_room.positions.size(), kCount);
  std::iota(answer_room.values.begin(), answer_room.values.end(), 0.5F);
  std::iota(answer_room.positions.begin(), answer_room.positions.end(), 7U);
  const auto push_room = Push::begin(writer, {.row_length = kLength}, kCount);
  std::iota(push_room.keys.begin(), push_room.keys.end(), 100U);
  std::iota(push_room.floats.begin(), push_room.floats.end(), -5.0F);
  const auto frame = writer.finish();
  EXPECT_EQ(reinterpret_cast<std::byte*>(answer_room.values.data()), frame->bytes().data() + 64);

  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  auto part = view->begin();
  const auto answer = Answer::decode(*part);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->values.data(), answer_room.values.data());
  EXPECT_EQ(answer->values.size(), answer_room.values.size());
  EXPECT_EQ(answer->positions.data(), answer_room.positions.data());
  EXPECT_EQ(answer->positions.back(), 7 + kCount - 1);
  const auto push = Push::decode(*++part);
  ASSERT_TRUE(push.ok());
  EXPECT_EQ(push->keys.data(), push_room.keys.data());
  EXPECT_EQ(push->keys.back(), 100 + kCount - 1);
  EXPECT_EQ(push->floats.data(), push_room.floats.data());
  EXPECT_EQ(push->floats.size(), push_room.floats.size());
}

TEST(Pull, RoomForKeysAndPositions) {
  FrameWriter writer(Pull::part_bytes(2, true), 3);
  const auto room = Pull::begin(writer, {.request = 17, .hops = 1}, 2, /*has_positions=*/true);
  room.keys[0] = 5;
  room.keys[1] = 6;
  room.positions[0] = 9;
  room.positions[1] = 1;
  const auto frame = writer.finish();
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  const auto pull = Pull::decode(*view->begin());
  ASSERT_TRUE(pull.ok());
  EXPECT_EQ(pull->keys[1], 6U);
  EXPECT_EQ(pull->positions[0], 9U);
  EXPECT_EQ(pull->hops, 1U);
}

TEST(RowMessagesDeathTest, ArraysMustHaveTheAnnouncedSizes) {
  const Pull pull{.keys = kKeys, .positions = std::span(kPositions).first(1)};
  EXPECT_DEATH(make_frame(0, pull), "size");
  const Push push{.row_length = 2, .keys = kKeys, .floats = kFloats};
  EXPECT_DEATH(make_frame(0, push), "size");
  EXPECT_DEATH(make_frame(0, Push{}), "row_length");
  EXPECT_DEATH(make_frame(0, Answer{}), "row_length");
  const Answer answer{.row_length = 1, .count = 3, .values = kFloats};
  EXPECT_DEATH(make_frame(0, answer), "size");
}

}  // namespace
}  // namespace godwit
