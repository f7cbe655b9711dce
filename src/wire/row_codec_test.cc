// wire/row_codec_test.cc: values and state of one row, each with its own scale.
#include "wire/row_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace godwit {
namespace {

TEST(RowCodec, ValuesKeepTheirPrecisionBesideALargeState) {
  const RowCodec codec{.codec = Codec::kInt8, .values = 3, .state = 2};
  const std::vector<float> row = {0.01F, -0.02F, 0.005F, 4000, 1};
  std::vector<float> words(codec.words());
  ASSERT_TRUE(codec.encode(row, words));
  std::vector<float> back(5);
  codec.decode(words, back);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], row[i], 0.02 / 127);
  EXPECT_NEAR(back[3], 4000, 4000.0 / 127);
}

TEST(RowCodec, WhatIsLostStaysInTheDelta) {
  for (const Codec kind : {Codec::kFp32, Codec::kBf16, Codec::kInt8}) {
    const RowCodec codec{.codec = kind, .values = 3, .state = 1};
    const std::vector<float> delta = {1.0F / 3, -7.77F, 1e-3F, 123.456F};
    std::vector<float> residual = delta;
    std::vector<float> words(codec.words());
    ASSERT_TRUE(codec.encode_with_feedback(residual, words));
    std::vector<float> sent(4);
    codec.decode(words, sent);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(sent[i] + residual[i], delta[i]);
  }
}

TEST(RowCodec, ARowThatCannotBeCodedIsLeftAlone) {
  const RowCodec codec{.codec = Codec::kInt8, .values = 2, .state = 1};
  std::vector<float> delta = {1.0F / 3, 2, std::numeric_limits<float>::infinity()};
  const std::vector<float> before = delta;
  std::vector<float> words(codec.words());
  EXPECT_FALSE(codec.encode_with_feedback(delta, words));
  EXPECT_EQ(delta, before);
}

TEST(RowCodec, SizesAreWords) {
  EXPECT_EQ((RowCodec{.codec = Codec::kFp32, .values = 5, .state = 5}.words()), 10U);
  EXPECT_EQ((RowCodec{.codec = Codec::kBf16, .values = 5, .state = 0}.words()), 3U);
  EXPECT_EQ((RowCodec{.codec = Codec::kInt8, .values = 5, .state = 5}.words()), 6U);
}

}  // namespace
}  // namespace godwit
