// wire/move_messages_test.cc: bytes of the messages about rows that move, and what is refused.
// What holds for all messages alike is in round_trip_test.cc.
#include "wire/move_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/golden.h"

namespace godwit {
namespace {

constexpr float kFloats[] = {1.0F, -2.0F};

TEST(RowItems, HasTheseBytes) {
  const ItemRecord records[] = {
      {.key = 5, .sequence = 6, .origin = 1, .claim = 2, .want = 1, .has_delta = 1, .via_home = 1},
      {.key = 7, .sequence = 8, .want = 2}};
  expect_golden(RowItems{.table = TableId(4),
                         .row_words = 2,
                         .codec = Codec::kBf16,
                         .records = records,
                         .words = kFloats},
                "18 000000 60000000 04000000 02000000 02000000 01000000 01 00000000000000"
                "0500000000000000 0600000000000000 01000000 02000000 01 01 01 0000000000"
                "0700000000000000 0800000000000000 00000000 00000000 02 00 00 0000000000"
                "0000803f 000000c0");
}

TEST(RowAcks, HasTheseBytes) {
  const AckRecord records[] = {{.key = 5, .sequence = 6, .moves = 7}};
  expect_golden(RowAcks{.table = TableId(4), .records = records},
                "19 000000 20000000 04000000 01000000"
                "0500000000000000 0600000000000000 07000000 00000000");
}

TEST(RowRefreshes, HasTheseBytes) {
  const RefreshRecord records[] = {{.key = 5, .version = 6, .contains = 7, .moves = 8}};
  expect_golden(RowRefreshes{.table = TableId(4),
                             .row_words = 2,
                             .codec = Codec::kInt8,
                             .records = records,
                             .words = kFloats},
                "1a 000000 38000000 04000000 02000000 01000000 02 000000"
                "0500000000000000 0600000000000000 0700000000000000 08000000 00000000"
                "0000803f 000000c0");
}

TEST(RowTransfers, HasTheseBytes) {
  const TransferRecord records[] = {{.key = 5, .version = 6, .moves = 7, .sharers = 1}};
  const SharerRecord sharers[] = {{.seen = 9, .node = 2, .wants = 1, .has_copy = 1}};
  expect_golden(RowTransfers{.table = TableId(4),
                             .row_floats = 2,
                             .records = records,
                             .sharers = sharers,
                             .floats = kFloats},
                "1b 000000 40000000 04000000 02000000 01000000 01000000"
                "0500000000000000 0600000000000000 07000000 01000000"
                "0900000000000000 02000000 01 01 0000"
                "0000803f 000000c0");
}

TEST(RowPlaces, HasTheseBytes) {
  const PlaceRecord records[] = {{.key = 5, .owner = 6, .moves = 7}};
  expect_golden(
      RowPlaces{.table = TableId(4), .news = PlaceNews::kHomeAck, .records = records},
      "1c 000000 20000000 04000000 01000000 02 00000000000000 0500000000000000 06000000 07000000");
}

TEST(RowItems, FlagsAndCountsThatCannotBeAreRefused) {
  const auto with = [](const std::string& deltas, const std::string& flags) {
    return refusal<RowItems>("18 000000 40000000 04000000 02000000 01000000" + deltas +
                             "00 00000000000000"
                             "0500000000000000 0600000000000000 01000000 02000000" +
                             flags + "0000803f 000000c0");
  };
  EXPECT_EQ(with("01000000", "01 01 01 0000000000"), "");
  EXPECT_EQ(with("01000000", "03 01 01 0000000000"), "row items: records have flags out of range");
  EXPECT_EQ(with("01000000", "01 01 01 0000000001"), "row items: records have flags out of range");
  EXPECT_EQ(with("01000000", "01 00 01 0000000000"), "row items: deltas differ from the records'");
}

TEST(RowTransfers, RowsThatNobodyHasWrittenHaveNoFloats) {
  const TransferRecord record{.key = 5, .version = 6, .moves = 7};
  const auto frame = make_frame(1, RowTransfers{.table = TableId(4), .records = {&record, 1}});
  const FrameView view = open_frame(frame->bytes()).value();
  const RowTransfers transfers = RowTransfers::decode(*view.begin()).value();
  ASSERT_EQ(transfers.records.size(), 1U);
  EXPECT_EQ(transfers.records[0].key, 5U);
  EXPECT_TRUE(transfers.floats.empty());
}

TEST(RowTransfers, ListsThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal<RowTransfers>("1b 000000 30000000 04000000 02000000 01000000 00000000"
                                  "0500000000000000 0600000000000000 07000000 01000000"
                                  "0000803f 000000c0"),
            "row transfers: sharers differ from the records'");
}

}  // namespace
}  // namespace godwit
