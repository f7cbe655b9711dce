// wire/exchange_codec.cc: three codecs are those of all rows; the fourth is made here.
#include "wire/exchange_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "wire/value_codec.h"

namespace godwit {
namespace {

Codec plain(ExchangeCodec codec) {
  static_assert(static_cast<int>(Codec::kFp32) == static_cast<int>(ExchangeCodec::kFp32) &&
                static_cast<int>(Codec::kBf16) == static_cast<int>(ExchangeCodec::kBf16) &&
                static_cast<int>(Codec::kInt8) == static_cast<int>(ExchangeCodec::kInt8));
  GODWIT_CHECK(codec != ExchangeCodec::kTopK);
  return static_cast<Codec>(codec);
}

void encode_largest(std::span<const float> row, std::size_t kept, std::span<std::uint32_t> words) {
  std::vector<std::uint32_t> places(row.size());
  std::iota(places.begin(), places.end(), 0U);
  const auto is_larger = [&](std::uint32_t a, std::uint32_t b) {
    const float first = std::abs(row[a]);
    const float second = std::abs(row[b]);
    return first != second ? first > second : a < b;
  };
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(kept);
  std::nth_element(places.begin(), end - 1, places.end(), is_larger);
  std::sort(places.begin(), end);
  for (std::size_t i = 0; i < kept; ++i) {
    words[i] = places[i];
    words[kept + i] = std::bit_cast<std::uint32_t>(row[places[i]]);
  }
}

bool decode_largest(std::span<const std::uint32_t> words, std::size_t kept, std::span<float> row) {
  std::fill(row.begin(), row.end(), 0.0F);
  for (std::size_t i = 0; i < kept; ++i) {
    if (words[i] >= row.size() || (i > 0 && words[i] <= words[i - 1])) return false;
    row[words[i]] = std::bit_cast<float>(words[kept + i]);
  }
  return true;
}

}  // namespace

ExchangeRowCodec ExchangeRowCodec::of(const Compression& compression, std::uint32_t floats) {
  ExchangeRowCodec codec{.codec = compression.codec, .floats = floats};
  if (compression.codec != ExchangeCodec::kTopK) return codec;
  // 0.4F of 5 are 2, though 0.4F is a little more than 0.4.
  constexpr double kSlack = 1e-3;
  const double wanted = std::ceil(std::max(0.0, double{compression.share} * floats - kSlack));
  codec.kept = std::clamp(static_cast<std::uint32_t>(wanted), 1U, floats);
  return codec;
}

std::uint64_t ExchangeRowCodec::words() const {
  if (codec == ExchangeCodec::kTopK) return 2 * std::uint64_t{kept};
  return coded_bytes(plain(codec), floats) / sizeof(std::uint32_t);
}

bool ExchangeRowCodec::encode(std::span<const float> row, std::span<std::uint32_t> words) const {
  if (codec != ExchangeCodec::kTopK) {
    return godwit::encode(plain(codec), row, std::as_writable_bytes(words));
  }
  const bool is_finite =
      std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
  if (is_finite) encode_largest(row, kept, words);
  return is_finite;
}

bool ExchangeRowCodec::decode(std::span<const std::uint32_t> words, std::span<float> row) const {
  if (codec == ExchangeCodec::kTopK) return decode_largest(words, kept, row);
  godwit::decode(plain(codec), std::as_bytes(words), row);
  return true;
}

}  // namespace godwit
