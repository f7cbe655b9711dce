// wire/row_codec.cc: two codings of one row.
#include "wire/row_codec.h"

#include <algorithm>
#include <vector>

#include "wire/value_codec.h"

namespace godwit {
namespace {

std::size_t words_of(Codec codec, std::size_t floats) {
  return floats == 0 ? 0 : coded_bytes(codec, floats) / sizeof(float);
}

}  // namespace

std::uint32_t RowCodec::words() const {
  return static_cast<std::uint32_t>(words_of(codec, values) + words_of(codec, state));
}

bool RowCodec::encode(std::span<const float> row, std::span<float> words) const {
  const std::size_t of_values = words_of(codec, values);
  return godwit::encode(codec, row.first(values), std::as_writable_bytes(words.first(of_values))) &&
         (state == 0 || godwit::encode(codec, row.subspan(values),
                                       std::as_writable_bytes(words.subspan(of_values))));
}

bool RowCodec::encode_with_feedback(std::span<float> delta, std::span<float> words) const {
  const std::size_t of_values = words_of(codec, values);
  const std::vector<float> before(delta.begin(), delta.end());
  if (!godwit::encode_with_feedback(codec, delta.first(values),
                                    std::as_writable_bytes(words.first(of_values)))) {
    return false;
  }
  if (state == 0 ||
      godwit::encode_with_feedback(codec, delta.subspan(values),
                                   std::as_writable_bytes(words.subspan(of_values)))) {
    return true;
  }
  std::copy(before.begin(), before.end(), delta.begin());
  return false;
}

void RowCodec::decode(std::span<const float> words, std::span<float> row) const {
  const std::size_t of_values = words_of(codec, values);
  godwit::decode(codec, std::as_bytes(words.first(of_values)), row.first(values));
  if (state == 0) return;
  godwit::decode(codec, std::as_bytes(words.subspan(of_values)), row.subspan(values));
}

}  // namespace godwit
