// wire/frame_view_test.cc: which frames open, what their parts are, and why others do not.
#include "wire/frame_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "wire/control_messages.h"
#include "wire/golden.h"

namespace godwit {
namespace {

using testing::HasSubstr;

std::string why_not(std::string_view parts) {
  const auto frame = frame_of_hex(std::string(kGoldenHeader) + std::string(parts));
  const auto view = open_frame(frame->bytes());
  if (view) return "";
  EXPECT_EQ(view.error().code(), ErrorCode::kCorruption);
  return view.error().message();
}

TEST(FrameView, GivesPartsInOrder) {
  const auto frame = make_frame(3, Released{.number = 1}, Beat{}, Bye{.text = "abcde"});
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  EXPECT_FALSE(view->empty());
  std::vector<std::pair<PartType, std::size_t>> parts;
  for (const PartView part : *view) parts.emplace_back(part.type, part.payload.size());
  const std::vector<std::pair<PartType, std::size_t>> expected = {
      {PartType::kReleased, 12}, {PartType::kBeat, 0}, {PartType::kBye, 9}};
  EXPECT_EQ(parts, expected);
}

TEST(FrameView, OfAHeaderAloneIsEmpty) {
  const auto frame = make_frame(3);
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  EXPECT_TRUE(view->empty());
  EXPECT_EQ(view->begin(), view->end());
}

TEST(FrameView, PointsIntoTheFrame) {
  const auto frame = make_frame(3, Released{.number = 1});
  const auto view = open_frame(frame->bytes());
  ASSERT_TRUE(view.ok());
  EXPECT_EQ((*view->begin()).payload.data(), frame->bytes().data() + 40);
}

TEST(OpenFrame, NamesWhatIsWrong) {
  EXPECT_EQ(why_not("22 000000 00000000"), "");
  EXPECT_EQ(why_not("22 000000"), "frame: 4 bytes are left at 32, too few for a part");
  EXPECT_EQ(why_not("06 000000 00000000"), "part at 32: unknown type 6");
  EXPECT_EQ(why_not("22 000100 00000000"), "beat at 32: a zero byte of its header is not zero");
  EXPECT_EQ(why_not("22 000000 05000000 ffffffffff 000001"), "beat at 32: its padding is not zero");
  EXPECT_EQ(why_not("22 000000 00000000 24 000000 01000000"),
            "bye at 40: announces 1 bytes, the frame ends after 0");
  EXPECT_EQ(why_not("22 000000 00000000 00"), "frame: 1 bytes are left at 40, too few for a part");
}

TEST(OpenFrame, HugeAnnouncedLengthsAreRefused) {
  for (const char* length : {"ffffffff", "f9ffffff", "f8ffffff", "00000080", "09000000"}) {
    EXPECT_THAT(why_not("01 000000 " + std::string(length) + " 0000000000000000"),
                HasSubstr("the frame ends after 8"))
        << length;
  }
}

// The padding of the last part belongs to it.
TEST(OpenFrame, CutPaddingIsRefused) {
  EXPECT_EQ(why_not("22 000000 05000000 ffffffffff 000000"), "");
  EXPECT_THAT(why_not("22 000000 05000000 ffffffffff 0000"), HasSubstr("the frame ends after 7"));
}

TEST(OpenFrame, MisalignedMemoryIsRefused) {
  const auto frame = frame_of_hex("00 " + std::string(kGoldenHeader));
  const auto view = open_frame(frame->bytes().subspan(1));
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().message(), "frame: its memory is not 8-byte aligned");
}

// Only the size is looked at, so no such memory is needed.
TEST(OpenFrame, TooLargeIsRefused) {
  const auto frame = make_frame(3);
  const auto view = open_frame({frame->bytes().data(), kFrameBytesMax + 8});
  ASSERT_FALSE(view.ok());
  EXPECT_THAT(view.error().message(), HasSubstr("268435464 bytes, at most 268435456"));
}

}  // namespace
}  // namespace godwit
