// core/outbound_test.cc: what is said becomes few frames, in order.
#include "core/outbound.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/core_fixture.h"

namespace godwit {
namespace {

class OutboundTest : public testing::Test {
 protected:
  OutboundTest() {
    links_.on_up(NodeId{1});
    links_.on_up(NodeId{2});
  }
  std::vector<PartType> parts(std::size_t sent) {
    std::vector<PartType> types;
    for (const PartView part : open_frame(sink_.sent[sent].frame->bytes()).value()) {
      types.push_back(part.type);
    }
    return types;
  }

  RecordingSink sink_;
  Links links_{NodeId{0}, 3, sink_, {}};
  Outbound outbound_{3, links_};
};

TEST_F(OutboundTest, OneFrameForEachPeerThatIsSpokenTo) {
  const std::vector<float> row = {1, 2};
  outbound_.say(NodeId{1}, TableId{0}, AckRecord{.key = 1, .sequence = 1});
  outbound_.say(NodeId{1}, TableId{0}, AckRecord{.key = 2, .sequence = 2});
  outbound_.say(NodeId{1}, TableId{0}, RowCodec{.values = 2}, RefreshRecord{.key = 3}, row);
  outbound_.say(NodeId{1}, TableId{0}, AckRecord{.key = 4, .sequence = 3});
  outbound_.say(NodeId{2}, TableId{0}, PlaceNews::kHome, PlaceRecord{.key = 5});
  outbound_.say(NodeId{2}, TableId{0}, PlaceNews::kHomeAck, PlaceRecord{.key = 5});
  EXPECT_TRUE(sink_.sent.empty());
  outbound_.flush();
  ASSERT_EQ(sink_.sent.size(), 2U);
  // Neighbours of one kind are one part; the order is kept.
  EXPECT_EQ(parts(0),
            (std::vector{PartType::kRowAcks, PartType::kRowRefreshes, PartType::kRowAcks}));
  EXPECT_EQ(parts(1), (std::vector{PartType::kRowPlaces, PartType::kRowPlaces}));
  outbound_.flush();
  EXPECT_EQ(sink_.sent.size(), 2U);
}

TEST_F(OutboundTest, TablesAndDeltasAreKeptApart) {
  const std::vector<float> delta = {1, 2, 3};
  outbound_.say(NodeId{1}, TableId{0}, Codec::kFp32, 3, ItemRecord{.key = 1, .has_delta = 1},
                delta);
  outbound_.say(NodeId{1}, TableId{0}, Codec::kFp32, 3, ItemRecord{.key = 2}, {});
  outbound_.say(NodeId{1}, TableId{1}, Codec::kFp32, 2, ItemRecord{.key = 3}, {});
  outbound_.flush(NodeId{1});
  ASSERT_EQ(sink_.sent.size(), 1U);
  std::vector<RowItems> items;
  for (const PartView part : open_frame(sink_.sent[0].frame->bytes()).value()) {
    items.push_back(RowItems::decode(part).value());
  }
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].records.size(), 2U);
  EXPECT_EQ(items[0].words.size(), 3U);
  EXPECT_EQ(items[1].table, TableId{1});
}

TEST_F(OutboundTest, RowsThatCannotBeCodedGoAsTheyAre) {
  const RowCodec codec{.codec = Codec::kInt8, .values = 4};
  const std::vector<float> row = {1, 2, 3, 4};
  const std::vector<float> infinite = {1, 2, 3, std::numeric_limits<float>::infinity()};
  outbound_.say(NodeId{1}, TableId{0}, codec, RefreshRecord{.key = 1}, row);
  outbound_.say(NodeId{1}, TableId{0}, codec, RefreshRecord{.key = 2}, row);
  outbound_.say(NodeId{1}, TableId{0}, codec, RefreshRecord{.key = 3}, infinite);
  outbound_.flush();
  std::vector<RowRefreshes> parts;
  for (const PartView part : open_frame(sink_.sent[0].frame->bytes()).value()) {
    parts.push_back(RowRefreshes::decode(part).value());
  }
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].codec, Codec::kInt8);
  EXPECT_EQ(parts[0].row_words, 2U);
  EXPECT_EQ(parts[0].records.size(), 2U);
  EXPECT_EQ(parts[1].codec, Codec::kFp32);
  EXPECT_EQ(std::vector<float>(parts[1].words.begin(), parts[1].words.end()), infinite);
}

TEST_F(OutboundTest, MuchIsSentWithoutWaitingForAFlush) {
  const std::vector<float> row(1000, 1.0F);
  for (Key key = 0; key < 1000; ++key) {
    outbound_.say(NodeId{1}, TableId{0}, RowCodec{.values = 1000}, RefreshRecord{.key = key}, row);
  }
  EXPECT_GE(sink_.sent.size(), 3U);
}

}  // namespace
}  // namespace godwit
