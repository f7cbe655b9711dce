// wire/exchange_codec_test.cc: rows of an exchange, there and back.
#include "wire/exchange_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<float> random_row(Prng& prng, std::size_t floats) {
  std::vector<float> row(floats);
  for (float& value : row) value = static_cast<float>(prng.uniform() - 0.5);
  return row;
}

std::vector<float> there_and_back(const ExchangeRowCodec& codec, std::span<const float> row) {
  std::vector<std::uint32_t> words(codec.words());
  EXPECT_TRUE(codec.encode(row, words));
  std::vector<float> back(row.size());
  EXPECT_TRUE(codec.decode(words, back));
  return back;
}

TEST(ExchangeCodec, TopKKeepsTheLargestAndDropsTheRest) {
  const ExchangeRowCodec codec =
      ExchangeRowCodec::of({.codec = ExchangeCodec::kTopK, .share = 0.4F}, 5);
  EXPECT_EQ(codec.kept, 2U);
  EXPECT_EQ(there_and_back(codec, std::array{1.0F, -5.0F, 0.0F, 4.0F, -4.0F}),
            (std::vector<float>{0, -5, 0, 4, 0}));
}

TEST(ExchangeCodec, TopKKeepsOneAtLeastAndAllAtMost) {
  EXPECT_EQ(ExchangeRowCodec::of({.codec = ExchangeCodec::kTopK, .share = 1e-9F}, 7).kept, 1U);
  EXPECT_EQ(ExchangeRowCodec::of({.codec = ExchangeCodec::kTopK, .share = 1.0F}, 7).kept, 7U);
}

TEST(ExchangeCodec, WhatTopKDropsGoesWithLaterRows) {
  Prng prng(5);
  const ExchangeRowCodec codec =
      ExchangeRowCodec::of({.codec = ExchangeCodec::kTopK, .share = 0.1F}, 40);
  const std::vector<float> target = random_row(prng, 40);
  std::vector<float> known(40);
  for (int i = 0; i < 10; ++i) {
    std::vector<float> apart(40);
    for (std::size_t j = 0; j < 40; ++j) apart[j] = target[j] - known[j];
    const std::vector<float> sent = there_and_back(codec, apart);
    for (std::size_t j = 0; j < 40; ++j) known[j] += sent[j];
  }
  EXPECT_EQ(known, target);
}

TEST(ExchangeCodec, OthersAreTheCodecsOfRows) {
  Prng prng(6);
  const std::vector<float> row = random_row(prng, 33);
  EXPECT_EQ(there_and_back(ExchangeRowCodec::of({}, 33), row), row);
  for (const ExchangeCodec one : {ExchangeCodec::kBf16, ExchangeCodec::kInt8}) {
    const ExchangeRowCodec codec = ExchangeRowCodec::of({.codec = one}, 33);
    EXPECT_LT(codec.words(), 33U);
    const std::vector<float> back = there_and_back(codec, row);
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(back[i], row[i], 0.005F);
  }
}

TEST(ExchangeCodec, PlacesThatDoNotRiseOrAreNoneAreRefused) {
  const ExchangeRowCodec codec{.codec = ExchangeCodec::kTopK, .floats = 4, .kept = 2};
  std::array<float, 4> row{};
  EXPECT_TRUE(codec.decode(std::array{0U, 3U, 0U, 0U}, row));
  EXPECT_FALSE(codec.decode(std::array{3U, 0U, 0U, 0U}, row));
  EXPECT_FALSE(codec.decode(std::array{1U, 1U, 0U, 0U}, row));
  EXPECT_FALSE(codec.decode(std::array{0U, 4U, 0U, 0U}, row));
}

TEST(ExchangeCodec, WhatIsNotFiniteIsNotCoded) {
  const std::array row{1.0F, std::numeric_limits<float>::quiet_NaN()};
  for (const ExchangeCodec one : {ExchangeCodec::kInt8, ExchangeCodec::kTopK}) {
    const ExchangeRowCodec codec = ExchangeRowCodec::of({.codec = one, .share = 1}, 2);
    std::vector<std::uint32_t> words(codec.words());
    EXPECT_FALSE(codec.encode(row, words));
  }
}

}  // namespace
}  // namespace godwit
