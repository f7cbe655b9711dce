// fuzz/value_codec_fuzz.cc: any bytes as a coded row: byte 0 is the codec, byte 1 how many floats
// fewer than fit, the rest the row. What decodes is coded again, near enough, or refused as it
// must.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/check.h"
#include "wire/value_codec.h"

namespace {

using namespace godwit;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kHeadBytes = 2;

// The most floats that a coded row of `bytes` can hold, less up to 3; 0 if it can hold none.
std::size_t floats_in(Codec codec, std::size_t bytes, std::size_t fewer) {
  switch (codec) {
    case Codec::kFp32:
      return bytes / 4;
    case Codec::kBf16:
      return bytes == 0 ? 0 : bytes / 2 - fewer % 2;
    case Codec::kInt8:
      return bytes < 8 ? 0 : bytes - 4 - fewer % 4;
  }
  return 0;
}

// How far one more journey may move a float of a row.
double bound(Codec codec, std::span<const std::byte> coded) {
  if (codec != Codec::kInt8) return 0;
  float scale = 0;
  std::memcpy(&scale, coded.data(), sizeof scale);
  GODWIT_CHECK(std::isnormal(scale) && scale > 0);
  return (0.5 + 0x1p-16) * double{scale};
}

void check_again(Codec codec, const std::vector<float>& row, std::span<std::byte> coded) {
  if (!encode(codec, row, coded)) {
    GODWIT_CHECK_EQ(codec, Codec::kInt8);
    GODWIT_CHECK(!std::ranges::all_of(row, [](float x) { return std::isfinite(x); }));
    return;
  }
  const double off_max = bound(codec, coded);
  std::vector<float> again(row.size());
  decode(codec, coded, again);
  for (std::size_t i = 0; i < row.size(); ++i) {
    GODWIT_CHECK_EQ(std::isnan(again[i]), std::isnan(row[i]));
    if (std::isnan(row[i]) || again[i] == row[i]) continue;
    GODWIT_CHECK_LE(std::abs(double{row[i]} - double{again[i]}), off_max);
  }
}

void check_feedback(Codec codec, const std::vector<float>& row, std::span<std::byte> coded) {
  std::vector<float> residual = row;
  if (!encode_with_feedback(codec, residual, coded)) {
    GODWIT_CHECK(codec != Codec::kFp32);
    GODWIT_CHECK(!std::ranges::all_of(row, [](float x) { return std::isfinite(x); }));
    return;
  }
  std::vector<float> decoded(row.size());
  decode(codec, coded, decoded);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i])) continue;
    GODWIT_CHECK_EQ(double{decoded[i]} + double{residual[i]}, double{row[i]});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeadBytes) return 0;
  const auto codec = static_cast<Codec>(data[0] % 3);
  const std::size_t floats = floats_in(codec, (size - kHeadBytes) / 4 * 4, data[1]);
  const std::size_t bytes = coded_bytes(codec, floats);
  if (bytes > size - kHeadBytes) return 0;
  std::vector<std::byte> coded(bytes);  // with nothing behind it
  if (bytes != 0) std::memcpy(coded.data(), data + kHeadBytes, bytes);
  std::vector<float> row(floats);
  decode(codec, coded, row);
  check_again(codec, row, coded);
  check_feedback(codec, row, coded);
  return 0;
}
