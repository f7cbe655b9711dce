// wire/frame_writer_test.cc: alignment, padding, and the sizes that a writer insists on.
#include "wire/frame_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "wire/control_messages.h"
#include "wire/golden.h"

namespace godwit {
namespace {

TEST(FrameWriter, PayloadsAreAlignedAndPaddedWithZeros) {
  FrameWriter writer(part_bytes_for(5) + part_bytes_for(0) + part_bytes_for(8), 3);
  for (const std::size_t size : {5U, 0U, 8U}) {
    const auto payload = writer.add_part(PartType::kBeat, size);
    ASSERT_EQ(payload.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload.data()) % kPartAlignment, 0U);
    if (size != 0) std::memset(payload.data(), 0xff, size);
  }
  EXPECT_EQ(writer.room(), 0U);
  EXPECT_EQ(hex_of(writer.finish()->bytes()),
            without_spaces(std::string(kGoldenHeader) + "22 000000 05000000 ffffffffff 000000"
                                                        "22 000000 00000000"
                                                        "22 000000 08000000 ffffffffffffffff"));
}

TEST(FrameWriter, WithoutPartsIsAHeader) {
  EXPECT_EQ(hex_of(make_frame(3)->bytes()), without_spaces(kGoldenHeader));
}

TEST(FrameWriterDeathTest, PartsMustFillTheFrame) {
  FrameWriter writer(part_bytes_for(8), 3);
  EXPECT_DEATH(writer.add_part(PartType::kBeat, 9), "room");
  EXPECT_DEATH(writer.add_part(PartType::kBeat, ~std::size_t{0}), "room");
  EXPECT_DEATH(writer.finish(), "room");
}

TEST(FrameWriterDeathTest, FramesAboveTheLimitAreNotMade) {
  EXPECT_DEATH(FrameWriter(kFrameBytesMax, 3), "kFrameBytesMax");
}

}  // namespace
}  // namespace godwit
