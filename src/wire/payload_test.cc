// wire/payload_test.cc: fields of a payload, the first wrong one, and texts that are too long.
#include "wire/payload.h"

#include <gtest/gtest.h>

#include <string>

namespace godwit {
namespace {

// A part of these bytes, in 8-byte aligned memory.
class Bytes {
 public:
  Bytes(std::initializer_list<int> bytes) : frame_(Frame::make(bytes.size())) {
    auto* out = frame_->bytes().data();
    for (const int byte : bytes) *out++ = static_cast<std::byte>(byte);
  }
  PayloadReader reader() const {
    return PayloadReader({.type = PartType::kBye, .payload = frame_->bytes()}, PartType::kBye);
  }

 private:
  std::shared_ptr<Frame> frame_;
};

std::string problem(const PayloadReader& reader) {
  const auto result = reader.finish();
  return result ? "" : result.error().message();
}

TEST(PayloadReader, TellsAboutTheFirstProblemOnly) {
  const Bytes bytes{1, 7, 9, 2, 0, 'a', 'b'};
  auto reader = bytes.reader();
  EXPECT_TRUE(reader.read_bool("first"));
  EXPECT_EQ(reader.read_enum("second", ErrorCode::kCorruption), ErrorCode{});
  EXPECT_FALSE(reader.read_bool("third"));
  EXPECT_EQ(reader.read_string("fourth", 10), "");
  EXPECT_EQ(reader.read_u64(), 0U);
  EXPECT_EQ(problem(reader), "bye: second is 7, which it cannot be");
}

TEST(PayloadReader, StringsAreViewsAndBounded) {
  const Bytes bytes{2, 0, 'a', 'b'};
  auto reader = bytes.reader();
  EXPECT_EQ(reader.read_string("text", 2), "ab");
  EXPECT_EQ(problem(reader), "");

  auto strict = bytes.reader();
  EXPECT_EQ(strict.read_string("text", 1), "");
  EXPECT_EQ(problem(strict), "bye: text announced to have 2 bytes, at most 1 are allowed");

  const Bytes liar{3, 0, 'a', 'b'};
  auto cheated = liar.reader();
  EXPECT_EQ(cheated.read_string("text", 10), "");
  EXPECT_EQ(problem(cheated),
            "bye: text announced to have 3 elements of 1 bytes, but 2 bytes are left");
}

TEST(PayloadReader, ArraysAreViewsHeldAgainstTheBytes) {
  const Bytes bytes{1, 0, 0, 0, 2, 0, 0, 0};
  auto reader = bytes.reader();
  const auto array = reader.read_array<std::uint32_t>("numbers", 2);
  ASSERT_EQ(array.size(), 2U);
  EXPECT_EQ(array[0], 1U);
  EXPECT_EQ(array[1], 2U);
  EXPECT_EQ(problem(reader), "");
  for (const std::uint64_t count : {std::uint64_t{3}, ~std::uint64_t{0}, std::uint64_t{1} << 62}) {
    auto greedy = bytes.reader();
    EXPECT_TRUE(greedy.read_array<std::uint32_t>("numbers", count).empty());
    EXPECT_NE(problem(greedy), "") << count;
  }
}

TEST(PayloadReader, MisalignedArraysAreRefused) {
  const Bytes bytes{0, 1, 2, 3, 4};
  auto reader = bytes.reader();
  reader.read_u8();
  EXPECT_TRUE(reader.read_array<std::uint32_t>("numbers", 1).empty());
  EXPECT_EQ(problem(reader), "bye: numbers is not aligned");
}

TEST(PayloadReader, ZerosMustBeZeroAndCountsAtLeastOne) {
  const Bytes bytes{0, 1};
  auto reader = bytes.reader();
  reader.read_zeros(2);
  EXPECT_EQ(problem(reader), "bye: a zero byte is not zero");

  const Bytes zeros{0, 0, 0, 0};
  auto count = zeros.reader();
  EXPECT_EQ(count.read_at_least_1("rows"), 0U);
  EXPECT_EQ(problem(count), "bye: rows is 0, which it cannot be");
}

TEST(PayloadReader, LengthMustFit) {
  const Bytes bytes{1, 2, 3};
  auto longer = bytes.reader();
  longer.read_u32();
  EXPECT_EQ(problem(longer), "bye: too short");
  auto shorter = bytes.reader();
  shorter.read_u8();
  EXPECT_EQ(problem(shorter), "bye: 2 bytes left over");
}

TEST(PayloadWriterDeathTest, FieldsMustFitAndFill) {
  FrameWriter writer(part_bytes_for(8), 0);
  PayloadWriter payload(writer, PartType::kBye, 8);
  EXPECT_DEATH(payload.finish(), "left_");
  EXPECT_DEATH(payload.write_string("ab", 1), "max");
  EXPECT_DEATH(payload.write_id(NodeId(-1)), "id");
  EXPECT_DEATH(payload.write_id(NodeId(std::int64_t{1} << 32)), "count");
  EXPECT_DEATH(payload.take_array<std::uint64_t>(2), "count");
}

TEST(Shortened, KeepsWhatFits) {
  const std::string text(kTextBytesMax, 'x');
  EXPECT_EQ(shortened(text), text);
  EXPECT_EQ(shortened(text + "y"), text);
  EXPECT_EQ(shortened(""), "");
}

TEST(Shortened, CutsBetweenLetters) {
  // A letter of three bytes, of which 0 to 2 fit.
  for (const std::size_t fit : {0U, 1U, 2U}) {
    const std::string before(kTextBytesMax - fit, 'x');
    EXPECT_EQ(shortened(before + "\xe2\x82\xac"), before) << fit;
  }
  const std::string no_letters(kTextBytesMax + 10, '\x80');
  EXPECT_EQ(shortened(no_letters).size(), kTextBytesMax);
}

}  // namespace
}  // namespace godwit
