// wire/value_codec_test.cc: rows through each codec, on every instruction set, against the oracle.
// What feedback keeps is in value_feedback_test.cc.
#include "wire/value_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "wire/golden.h"
#include "wire/value_codec_oracle.h"

namespace godwit {
namespace {

TEST(ValueCodec, RowsTakeTheseBytes) {
  EXPECT_EQ(coded_bytes(Codec::kFp32, 5), 20U);
  EXPECT_EQ(coded_bytes(Codec::kBf16, 4), 8U);
  EXPECT_EQ(coded_bytes(Codec::kBf16, 5), 12U);
  EXPECT_EQ(coded_bytes(Codec::kInt8, 1), 8U);
  EXPECT_EQ(coded_bytes(Codec::kInt8, 4), 8U);
  EXPECT_EQ(coded_bytes(Codec::kInt8, 5), 12U);
  EXPECT_EQ(coded_bytes(Codec::kInt8, 64), 68U);
  for (const Codec codec : kCodecs) EXPECT_EQ(decoded(codec, coded(codec, {}), 0).size(), 0U);
}

TEST(ValueCodec, HasTheseBytes) {
  on_every_target([] {
    const std::vector<float> row{1, -2, 127, -63.5F, 0};
    EXPECT_EQ(hex_of(coded(Codec::kFp32, row)), "0000803f000000c00000fe4200007ec200000000");
    EXPECT_EQ(hex_of(coded(Codec::kBf16, row)), "803f00c0fe427ec200000000");
    EXPECT_EQ(hex_of(coded(Codec::kInt8, row)), "0000803f01fe7fc000000000");
    EXPECT_EQ(hex_of(coded(Codec::kInt8, std::vector<float>{0.1F})), "80694e3a7f000000");
    EXPECT_EQ(hex_of(coded(Codec::kInt8, std::vector<float>{0, -0.0F})), "0000800000000000");
  });
}

TEST(ValueCodec, Fp32IsExactForAnyBits) {
  Prng prng(1);
  for (const std::size_t length : lengths()) {
    std::vector<float> row(length);
    for (float& x : row) x = std::bit_cast<float>(static_cast<std::uint32_t>(prng.next()));
    row[0] = std::bit_cast<float>(0x7f800001U);  // a NaN that is not quiet
    const auto bytes = coded(Codec::kFp32, row);
    EXPECT_EQ(std::memcmp(bytes.data(), row.data(), bytes.size()), 0);
    EXPECT_TRUE(same(decoded(Codec::kFp32, bytes, length), row));
  }
}

TEST(ValueCodec, EveryLengthOnEveryInstructionSetGivesTheBitsOfTheOracle) {
  on_every_target([] {
    Prng prng(2);
    for (const std::size_t length : lengths()) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        const auto row = repeat % 2 == 0 ? normal_row(prng, length) : wild_row(prng, length);
        for (const Codec codec : kCodecs) {
          const auto bytes = coded(codec, row);
          const auto there = decoded(codec, bytes, length);
          ASSERT_TRUE(same(there, oracle_decoded(codec, row))) << to_string(codec) << length;

          auto residual = row;
          std::vector<std::byte> again(bytes.size());
          ASSERT_TRUE(encode_with_feedback(codec, residual, again));
          ASSERT_EQ(again, bytes);
          for (std::size_t i = 0; i < length; ++i) {
            ASSERT_EQ(bits_of(residual[i]), bits_of(row[i] - there[i])) << to_string(codec) << i;
            ASSERT_EQ(double{there[i]} + double{residual[i]}, double{row[i]});
          }
        }
      }
    }
  });
}

TEST(ValueCodec, NeedsNoAlignmentAndStaysWithinItsBytes) {
  on_every_target([] {
    constexpr std::byte kGuard{0xa5};
    Prng prng(3);
    for (const std::size_t length : lengths()) {
      const auto row = normal_row(prng, length);
      for (const Codec codec : kCodecs) {
        const std::size_t size = coded_bytes(codec, length);
        std::vector<std::byte> buffer(size + 2, kGuard);
        const std::span<std::byte> out = std::span(buffer).subspan(1, size);
        ASSERT_TRUE(encode(codec, row, out));
        EXPECT_EQ(buffer.front(), kGuard);
        EXPECT_EQ(buffer.back(), kGuard);
        EXPECT_TRUE(std::ranges::equal(out, coded(codec, row)));
        std::vector<float> there(length + 1, 9);
        decode(codec, out, std::span(there).first(length));
        EXPECT_EQ(there.back(), 9);
        EXPECT_TRUE(same(std::span(there).first(length), oracle_decoded(codec, row)));
      }
    }
  });
}

// What bf16 must make of a number; 0x10000 if it must refuse it.
std::uint32_t expected_bf16(float value) {
  if (std::isnan(value)) return (bits_of(value) >> 16) | 0x40U;
  const std::uint16_t nearest = nearest_bf16(value);
  return std::isfinite(value) && (nearest & 0x7fffU) == 0x7f80 ? 0x10000 : nearest;
}

void expect_bf16(std::span<const float> row) {
  std::vector<std::uint16_t> halves(coded_bytes(Codec::kBf16, row.size()) / 2);
  const bool is_coded = encode(Codec::kBf16, row, std::as_writable_bytes(std::span(halves)));
  bool fits = true;
  for (const float x : row) fits = fits && expected_bf16(x) != 0x10000;
  ASSERT_EQ(is_coded, fits) << std::hex << bits_of(row[0]);
  if (!fits) return;
  const auto there = decoded(Codec::kBf16, std::as_bytes(std::span(halves)), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    ASSERT_EQ(halves[i], expected_bf16(row[i])) << std::hex << bits_of(row[i]);
    ASSERT_EQ(bits_of(there[i]), std::uint32_t{halves[i]} << 16);
  }
}

TEST(ValueCodec, Bf16RoundsAsTheOracleForAllUpperHalves) {
  on_every_target([] {
    for (const std::uint32_t lower : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      std::vector<float> row;
      for (std::uint32_t upper = 0; upper <= 0xffff; ++upper) {
        row.push_back(std::bit_cast<float>(upper << 16 | lower));
        expect_bf16({&row.back(), 1});
        expect_bf16(std::vector<float>{row.back(), kInfinity});  // not the way of finite rows
        if (row.size() < 64) continue;
        expect_bf16(row);
        row.clear();
      }
    }
  });
}

TEST(ValueCodec, Bf16RefusesWhatWouldBecomeInfinite) {
  on_every_target([] {
    for (const float good : {kInfinity, -kInfinity, kNan, 0x1.fefffep127F, -0x1.fefffep127F}) {
      EXPECT_FALSE(is_refused(Codec::kBf16, std::vector<float>{1, good}));
    }
    for (const float bad : {kMax, -kMax, 0x1.ffp127F, -0x1.ffp127F}) {
      EXPECT_TRUE(is_refused(Codec::kBf16, std::vector<float>{1, bad}));
      EXPECT_TRUE(is_refused(Codec::kBf16, std::vector<float>{kNan, bad, kInfinity}));
    }
  });
}

TEST(ValueCodec, Int8RoundsToNearestAndTiesToEven) {
  on_every_target([] {
    const std::vector<float> row{
        127,           0.5F, 1.5F, 2.5F, -0.5F, -1.5, 126.5F, 0x1.fffffep-2F, -0x1.fffffep-2F,
        0x1.000002p-1F};
    const std::vector<float> there{127, 0, 2, 2, 0, -2, 126, 0, 0, 1};
    EXPECT_EQ(decoded(Codec::kInt8, coded(Codec::kInt8, row), row.size()), there);
  });
}

void expect_int8_bound(std::span<const float> row) {
  const auto bytes = coded(Codec::kInt8, row);
  float scale = 0;
  std::memcpy(&scale, bytes.data(), sizeof scale);
  const auto there = decoded(Codec::kInt8, bytes, row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double error = std::abs(double{row[i]} - double{there[i]});
    ASSERT_LE(error, (0.5 + 0x1p-16) * double{scale}) << row[i] << " became " << there[i];
  }
}

TEST(ValueCodec, Int8IsOffByHalfItsScaleAtMostHoweverLargeOrSmall) {
  on_every_target([] {
    Prng prng(4);
    for (int repeat = 0; repeat < 2000; ++repeat) expect_int8_bound(wild_row(prng, 33));
    constexpr float kTiny = std::numeric_limits<float>::denorm_min();
    for (const float max : {kMax, 0x1.fcp127F, 0x1.fbfffep127F, 1.0F, 127.0F, 0x1p-126F, 0x1p-120F,
                            189 * kTiny, 63 * kTiny, kTiny, 0.0F}) {
      const std::vector<float> row{max, -max, max / 2, -max / 3, max / 127, max / 254, 0, -0.0F};
      expect_int8_bound(row);
    }
  });
}

TEST(ValueCodecDeathTest, WrongSizesAreOurBugs) {
  std::vector<float> row(5, 1);
  std::vector<std::byte> bytes(64);
  for (const Codec codec : kCodecs) {
    for (const std::size_t size : {coded_bytes(codec, 5) - 4, coded_bytes(codec, 5) + 4}) {
      const auto wrong = std::span(bytes).first(size);
      EXPECT_DEATH((void)encode(codec, row, wrong), "value_codec.cc:.*size\\(\\)");
      EXPECT_DEATH((void)encode_with_feedback(codec, row, wrong), "value_codec.cc:.*size\\(\\)");
      EXPECT_DEATH(decode(codec, wrong, row), "value_codec.cc:.*size\\(\\)");
    }
  }
  EXPECT_DEATH((void)coded_bytes(static_cast<Codec>(3), 5), "codec <= Codec::kInt8 \\(3 vs 2\\)");
}

}  // namespace
}  // namespace godwit
