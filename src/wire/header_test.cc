// wire/header_test.cc: the bytes of a header, what is refused, and late stamps.
#include "wire/header.h"

#include <gtest/gtest.h>

#include <array>

#include "wire/any_message.h"
#include "wire/golden.h"

namespace godwit {
namespace {

constexpr FrameHeader kHeader{.sequence = 0x0102030405060708, .received = 9, .term = ~0ULL};

TEST(Header, HasTheseBytes) {
  std::array<std::byte, kFrameHeaderBytes> bytes;
  bytes.fill(std::byte{0xee});
  write_header(bytes, kHeader);
  EXPECT_EQ(hex_of(bytes),
            without_spaces("02 00000000000000 0807060504030201 0900000000000000 ffffffffffffffff"));
  const auto header = read_header(bytes);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(*header, kHeader);
}

TEST(Header, OfAnotherVersionIsRefusedNamingBoth) {
  std::array<std::byte, kFrameHeaderBytes> bytes;
  write_header(bytes, kHeader);
  bytes[0] = std::byte{1};
  const auto header = read_header(bytes);
  ASSERT_FALSE(header.ok());
  EXPECT_EQ(header.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(header.error().message(), "frame: wire version 1, this program speaks 2");
}

TEST(Header, WithANonzeroZeroByteIsRefused) {
  std::array<std::byte, kFrameHeaderBytes> bytes;
  write_header(bytes, kHeader);
  for (std::size_t i = 1; i < 8; ++i) {
    bytes[i] = std::byte{1};
    EXPECT_FALSE(read_header(bytes).ok()) << i;
    bytes[i] = std::byte{0};
  }
  EXPECT_TRUE(read_header(bytes).ok());
}

TEST(Header, CutIsRefused) {
  std::array<std::byte, kFrameHeaderBytes> bytes;
  write_header(bytes, kHeader);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto header = read_header(std::span(bytes).first(size));
    ASSERT_FALSE(header.ok());
    EXPECT_EQ(header.error().code(), ErrorCode::kCorruption);
  }
}

TEST(StampFrame, ChangesSixteenBytesOnly) {
  const auto frame = make_frame(5, Released{.number = 77});
  const std::string before = hex_of(frame->bytes());
  stamp_frame(*frame, 0x1122, 0x3344);
  const std::string after = hex_of(frame->bytes());
  EXPECT_EQ(after.substr(0, 16), before.substr(0, 16));
  EXPECT_EQ(after.substr(16, 32), "22110000000000004433000000000000");
  EXPECT_EQ(after.substr(48), before.substr(48));
}

TEST(PartType, KnownNumbersAreExactlyThoseWithAName) {
  int known = 0;
  for (int i = 0; i < 256; ++i) {
    const auto number = static_cast<std::uint8_t>(i);
    EXPECT_EQ(is_part_type(number), to_string(static_cast<PartType>(number)) != "unknown") << i;
    known += is_part_type(number) ? 1 : 0;
  }
  EXPECT_EQ(static_cast<std::size_t>(known), std::variant_size_v<AnyMessage>);
}

TEST(PartBytes, AreRoundedUpToEight) {
  EXPECT_EQ(part_bytes_for(0), 8U);
  EXPECT_EQ(part_bytes_for(1), 16U);
  EXPECT_EQ(part_bytes_for(8), 16U);
  EXPECT_EQ(part_bytes_for(9), 24U);
}

}  // namespace
}  // namespace godwit
