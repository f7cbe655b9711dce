// wire/value_codec.cc: compiled once per instruction set by Highway's foreach_target.
#include "wire/value_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wire/value_codec.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

static_assert(std::endian::native == std::endian::little, "rows are coded as they are in memory");

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Four = hn::CappedTag<float, 4>;
using One = hn::CappedTag<float, 1>;

// A float's bits without the sign order numbers by magnitude: finite ones, infinity, NaNs.
constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint32_t kRoundsToInfinity = 0x7f7f8000;  // the first that does so in bf16
constexpr std::uint32_t kQuiet = 0x00400000;             // the bit of a NaN that makes it quiet

// Added to a small number it rounds that to nearest, ties to even, and leaves it in its lower bits.
// A row of 64 takes 0.8 of the time that it takes with NearestInt, which minds overflows; 0.3 where
// there is no SIMD. Measured on Zen 4.
constexpr float kRoundingShift = 0x1.8p23F;

// Calls op(tag, i) for whole vectors of floats, then for four, then for single ones: [0, n) exactly
// once.
template <class Op>
HWY_INLINE void for_lanes(std::size_t n, Op&& op) {
  std::size_t i = 0;
  for (; i + hn::Lanes(Wide()) <= n; i += hn::Lanes(Wide())) op(Wide(), i);
  for (; i + hn::Lanes(Four()) <= n; i += hn::Lanes(Four())) op(Four(), i);
  for (; i < n; ++i) op(One(), i);
}

// REQUIRES: n >= Lanes(d). The last vector overlaps the one before it.
template <class D>
HWY_INLINE std::uint32_t max_magnitude_by(D d, const float* row, std::size_t n) {
  const hn::RebindToSigned<D> ints;  // without the sign bit, a maximum of which all can do
  const auto mask = hn::Set(ints, static_cast<std::int32_t>(kMagnitude));
  const auto magnitudes = [&](std::size_t i) {
    return hn::And(hn::BitCast(ints, hn::LoadU(d, row + i)), mask);
  };
  auto largest = magnitudes(n - hn::Lanes(d));
  for (std::size_t i = 0; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    largest = hn::Max(largest, magnitudes(i));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(ints, largest)));
}

HWY_INLINE std::uint32_t max_magnitude(const float* row, std::size_t n) {
  if (n >= hn::Lanes(Wide())) return max_magnitude_by(Wide(), row, n);
  if (n >= hn::Lanes(Four())) return max_magnitude_by(Four(), row, n);
  return n == 0 ? 0 : max_magnitude_by(One(), row, n);
}

// bf16 of a row with numbers that need care; few rows have any.
HWY_INLINE bool encode_bf16_with_care(const float* row, std::size_t n, std::byte* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(row[i]);
    const std::uint32_t magnitude = bits & kMagnitude;
    if (magnitude >= kRoundsToInfinity && magnitude < kInfinity) return false;
    const std::uint32_t rounded =
        magnitude > kInfinity ? bits | kQuiet : bits + 0x7fffU + ((bits >> 16) & 1U);
    const auto half = static_cast<std::uint16_t>(rounded >> 16);
    std::memcpy(out + i * sizeof half, &half, sizeof half);
  }
  return true;
}

// `residual` may be `row`; it is not used without feedback.
template <bool kFeedback>
HWY_INLINE bool encode_bf16(const float* row, std::size_t n, float* residual, std::byte* out) {
  if (HWY_UNLIKELY(max_magnitude(row, n) >= kRoundsToInfinity)) {
    return !kFeedback && encode_bf16_with_care(row, n, out);
  }
  auto* halves = reinterpret_cast<std::uint16_t*>(out);
  for_lanes(n, [&](auto d, std::size_t i) {
    const hn::RebindToUnsigned<decltype(d)> words;
    const hn::RebindToSigned<decltype(d)> ints;
    const hn::Rebind<std::uint16_t, decltype(d)> half_words;
    const auto x = hn::LoadU(d, row + i);
    const auto bits = hn::BitCast(words, x);
    const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1U));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), is_odd);
    const auto upper = hn::ShiftRight<16>(rounded);
    hn::StoreU(hn::DemoteTo(half_words, hn::BitCast(ints, upper)), half_words, halves + i);
    if constexpr (kFeedback) {
      const auto decoded = hn::BitCast(d, hn::ShiftLeft<16>(upper));
      hn::StoreU(hn::Sub(x, decoded), d, residual + i);
    }
  });
  return true;
}

// Upper 17 bits times a multiple of 7 bits fit the 24 of a float. Cut, not rounded, so that 127
// times the scale of the largest number there is does not become infinite.
HWY_INLINE float int8_scale(std::uint32_t magnitude) {
  const auto scale = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) / 127.0F);
  return HWY_MAX(std::bit_cast<float>(scale & 0xffffff80U), std::numeric_limits<float>::min());
}

template <bool kFeedback>
HWY_INLINE bool encode_int8(const float* row, std::size_t n, float* residual, std::byte* out) {
  const std::uint32_t magnitude = max_magnitude(row, n);
  if (HWY_UNLIKELY(magnitude >= kInfinity)) return false;
  const float scale = int8_scale(magnitude);
  const float inverse = 1 / scale;  // a normal number: scale is in [2^-126, 2^122)
  std::memcpy(out, &scale, sizeof scale);
  auto* multiples = reinterpret_cast<std::int8_t*>(out + sizeof scale);
  for_lanes(n, [&](auto d, std::size_t i) {
    const hn::RebindToSigned<decltype(d)> ints;
    const hn::Rebind<std::int8_t, decltype(d)> bytes;
    const auto x = hn::LoadU(d, row + i);
    const auto shift = hn::Set(d, kRoundingShift);
    const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, inverse)), shift);
    const auto multiple = hn::Sub(hn::BitCast(ints, shifted), hn::BitCast(ints, shift));
    hn::StoreU(hn::DemoteTo(bytes, multiple), bytes, multiples + i);
    if constexpr (kFeedback) {
      const auto decoded = hn::Mul(hn::Sub(shifted, shift), hn::Set(d, scale));
      hn::StoreU(hn::Sub(x, decoded), d, residual + i);
    }
  });
  return true;
}

bool encode_bf16_simd(const float* row, std::size_t n, float* residual, std::byte* out) {
  return residual == nullptr ? encode_bf16<false>(row, n, residual, out)
                             : encode_bf16<true>(row, n, residual, out);
}

bool encode_int8_simd(const float* row, std::size_t n, float* residual, std::byte* out) {
  return residual == nullptr ? encode_int8<false>(row, n, residual, out)
                             : encode_int8<true>(row, n, residual, out);
}

void decode_bf16_simd(const std::byte* coded, std::size_t n, float* row) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(coded);
  for_lanes(n, [&](auto d, std::size_t i) {
    const hn::RebindToUnsigned<decltype(d)> words;
    const hn::Rebind<std::uint16_t, decltype(d)> half_words;
    const auto upper = hn::PromoteTo(words, hn::LoadU(half_words, halves + i));
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(upper)), d, row + i);
  });
}

void decode_int8_simd(const std::byte* coded, std::size_t n, float* row) {
  float scale = 0;
  std::memcpy(&scale, coded, sizeof scale);
  const auto* multiples = reinterpret_cast<const std::int8_t*>(coded + sizeof scale);
  for_lanes(n, [&](auto d, std::size_t i) {
    const hn::RebindToSigned<decltype(d)> ints;
    const hn::Rebind<std::int8_t, decltype(d)> bytes;
    const auto multiple = hn::PromoteTo(ints, hn::LoadU(bytes, multiples + i));
    hn::StoreU(hn::Mul(hn::ConvertTo(d, multiple), hn::Set(d, scale)), d, row + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {
namespace {

HWY_EXPORT(encode_bf16_simd);
HWY_EXPORT(encode_int8_simd);
HWY_EXPORT(decode_bf16_simd);
HWY_EXPORT(decode_int8_simd);

// Without padding.
std::size_t used_bytes(Codec codec, std::size_t floats) {
  switch (codec) {
    case Codec::kFp32:
      return floats * sizeof(float);
    case Codec::kBf16:
      return floats * sizeof(std::uint16_t);
    case Codec::kInt8:
      return sizeof(float) + floats;
  }
  GODWIT_CHECK_LE(codec, Codec::kInt8);
  return 0;
}

// `residual` is null if nobody asks for it.
bool encode_to(Codec codec, std::span<const float> row, float* residual, std::span<std::byte> out) {
  GODWIT_CHECK_EQ(out.size(), coded_bytes(codec, row.size()));
  const auto padding = out.subspan(used_bytes(codec, row.size()));
  std::fill(padding.begin(), padding.end(), std::byte{0});
  switch (codec) {
    case Codec::kFp32:
      if (!row.empty()) std::memcpy(out.data(), row.data(), row.size_bytes());
      if (residual != nullptr) std::fill_n(residual, row.size(), 0.0F);
      return true;
    case Codec::kBf16:
      return HWY_DYNAMIC_DISPATCH(encode_bf16_simd)(row.data(), row.size(), residual, out.data());
    case Codec::kInt8:
      return HWY_DYNAMIC_DISPATCH(encode_int8_simd)(row.data(), row.size(), residual, out.data());
  }
  return false;
}

}  // namespace

std::size_t coded_bytes(Codec codec, std::size_t floats) {
  return (used_bytes(codec, floats) + 3) / 4 * 4;
}

bool encode(Codec codec, std::span<const float> row, std::span<std::byte> out) {
  return encode_to(codec, row, nullptr, out);
}

bool encode_with_feedback(Codec codec, std::span<float> row_delta, std::span<std::byte> out) {
  return encode_to(codec, row_delta, row_delta.data(), out);
}

void decode(Codec codec, std::span<const std::byte> coded, std::span<float> row) {
  GODWIT_CHECK_EQ(coded.size(), coded_bytes(codec, row.size()));
  switch (codec) {
    case Codec::kFp32:
      if (!row.empty()) std::memcpy(row.data(), coded.data(), coded.size());
      return;
    case Codec::kBf16:
      return HWY_DYNAMIC_DISPATCH(decode_bf16_simd)(coded.data(), row.size(), row.data());
    case Codec::kInt8:
      return HWY_DYNAMIC_DISPATCH(decode_int8_simd)(coded.data(), row.size(), row.data());
  }
}

}  // namespace godwit
#endif  // HWY_ONCE
