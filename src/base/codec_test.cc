// base/codec_test.cc: the words for codecs, and the numbers that travel.
#include "godwit/codec.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

static_assert(static_cast<int>(Codec::kFp32) == 0 && static_cast<int>(Codec::kBf16) == 1 &&
              static_cast<int>(Codec::kInt8) == 2);

TEST(Codec, EveryCodecIsReadAsItIsWritten) {
  EXPECT_EQ(to_string(Codec::kFp32), "fp32");
  EXPECT_EQ(to_string(Codec::kBf16), "bf16");
  EXPECT_EQ(to_string(Codec::kInt8), "int8");
  for (const Codec codec : {Codec::kFp32, Codec::kBf16, Codec::kInt8}) {
    EXPECT_EQ(parse_codec(to_string(codec)).value(), codec);
  }
}

TEST(Codec, OtherWordsAreRefusedWithTheKnownOnes) {
  for (const char* word : {"", "fp16", "BF16", "int8 ", "fp32,bf16", "unknown"}) {
    const auto codec = parse_codec(word);
    ASSERT_FALSE(codec.ok()) << word;
    EXPECT_EQ(codec.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(codec.error().message(),
              "codec '" + std::string(word) + "' is none of fp32, bf16, int8");
  }
}

TEST(Codec, ANumberThatIsNoCodecHasNoName) {
  EXPECT_EQ(to_string(static_cast<Codec>(3)), "unknown");
}

}  // namespace
}  // namespace godwit
