// wire/value_codec_oracle.h: what the codecs must give, in scalar code, for tests; and the rows and
// instruction sets to try them with.
// Not thread-safe: instruction sets are chosen for the whole process.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/prng.h"
#include "wire/value_codec.h"

namespace godwit {

inline constexpr float kMax = std::numeric_limits<float>::max();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::array kCodecs = {Codec::kFp32, Codec::kBf16, Codec::kInt8};

// Calls `test()` with Highway restricted to one instruction set after the other.
template <class Test>
void on_every_target(const Test& test) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

inline std::vector<std::size_t> lengths() {
  std::vector<std::size_t> list(70);
  std::iota(list.begin(), list.end(), 1U);
  list.insert(list.end(), {128, 257});
  return list;
}

inline std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// The one bf16 nearest to a number that is not NaN, found by comparing distances.
inline std::uint16_t nearest_bf16(float value) {
  const auto value_of = [](std::uint32_t half) {  // as if exponents did not end
    return half == 0x7f80 ? 0x1p128 : double{std::bit_cast<float>(half << 16)};
  };
  const std::uint32_t lower = (bits_of(value) & 0x7fffffffU) >> 16;
  const double below = std::abs(double{value}) - value_of(lower);
  const double above = value_of(lower + 1) - std::abs(double{value});
  const bool goes_up = above < below || (above == below && lower % 2 == 1);
  const std::uint32_t sign = bits_of(value) >> 31 << 15;
  return static_cast<std::uint16_t>(sign | (lower + (std::isfinite(value) && goes_up ? 1 : 0)));
}

// max|x| / 127 with 17 significant bits.
inline float oracle_scale(std::span<const float> row) {
  float max = 0;
  for (const float x : row) max = std::max(max, std::abs(x));
  int exponent = 0;
  const double fraction = std::frexp(double{max / 127}, &exponent);
  const double cut = std::ldexp(std::floor(std::ldexp(fraction, 17)), exponent - 17);
  return std::max(static_cast<float>(cut), std::numeric_limits<float>::min());
}

// What a finite row without bf16 overflow is after its journey.
inline std::vector<float> oracle_decoded(Codec codec, std::span<const float> row) {
  std::vector<float> decoded(row.begin(), row.end());
  const float scale = oracle_scale(row);
  for (float& x : decoded) {
    if (codec == Codec::kBf16) x = std::bit_cast<float>(std::uint32_t{nearest_bf16(x)} << 16);
    if (codec == Codec::kInt8) x = std::nearbyint(x * (1 / scale)) * scale + 0.0F;  // no -0
  }
  return decoded;
}

inline std::vector<std::byte> coded(Codec codec, std::span<const float> row) {
  std::vector<std::byte> out(coded_bytes(codec, row.size()));
  EXPECT_TRUE(encode(codec, row, out));
  return out;
}

inline std::vector<float> decoded(Codec codec, std::span<const std::byte> bytes,
                                  std::size_t floats) {
  std::vector<float> row(floats, -7);
  decode(codec, bytes, row);
  return row;
}

inline bool is_refused(Codec codec, std::span<const float> row) {
  std::vector<std::byte> out(coded_bytes(codec, row.size()));
  return !encode(codec, row, out);
}

// Bit by bit.
inline bool same(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return bits_of(x) == bits_of(y); });
}

inline std::vector<float> normal_row(Prng& prng, std::size_t length) {
  std::vector<float> row(length);
  for (float& x : row) x = static_cast<float>(prng.normal());
  return row;
}

// Any finite number with |x| <= 2^127: about as many tiny ones as huge ones.
inline std::vector<float> wild_row(Prng& prng, std::size_t length) {
  std::vector<float> row(length);
  const std::uint64_t magnitudes = 1 + prng.below(0x7f000000);
  for (float& x : row) {
    x = std::bit_cast<float>(static_cast<std::uint32_t>(prng.below(magnitudes))) *
        (prng.below(2) == 0 ? 1.0F : -1.0F);
  }
  return row;
}

}  // namespace godwit
