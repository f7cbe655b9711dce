// wire/row_codec.h: whole rows as words of 4 bytes: their values and their state are coded apart,
// since one may be a thousand times larger than the other. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godwit/codec.h"

namespace godwit {

struct RowCodec {
  Codec codec = Codec::kFp32;
  std::size_t values = 0;  // floats of a row, and those of its state behind them
  std::size_t state = 0;

  // Of a coded row.
  std::uint32_t words() const;

  // Contracts as in wire/value_codec.h: false if this row must go in fp32.
  [[nodiscard]] bool encode(std::span<const float> row, std::span<float> words) const;
  [[nodiscard]] bool encode_with_feedback(std::span<float> delta, std::span<float> words) const;
  void decode(std::span<const float> words, std::span<float> row) const;
};

}  // namespace godwit
