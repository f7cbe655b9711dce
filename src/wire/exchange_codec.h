// wire/exchange_codec.h: how the floats of one row travel in an exchange (godwit/groups.h), as
// words of 4 bytes.
//
//   fp32, bf16, int8   as in wire/value_codec.h
//   top-k              u32 places[k], rising; f32 values[k]: all others are 0
//
// All results have the same bits on every instruction set. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godwit/groups.h"

namespace godwit {

struct ExchangeRowCodec {
  ExchangeCodec codec = ExchangeCodec::kFp32;
  std::uint32_t floats = 0;  // of a row
  std::uint32_t kept = 0;    // of top-k: 1 to floats; else 0

  static ExchangeRowCodec of(const Compression& compression, std::uint32_t floats);

  std::uint64_t words() const;  // of a coded row

  // Fills `words`. False if the codec cannot carry this row (wire/value_codec.h); never of fp32.
  // Top-k takes the largest by magnitude; of equal ones the first. What decode() makes of it plus
  // what was not kept is the row.
  // REQUIRES: row.size() == floats, words.size() == words().
  [[nodiscard]] bool encode(std::span<const float> row, std::span<std::uint32_t> words) const;
  // False if these are no places in a row, or do not rise; then `row` is not to be used.
  [[nodiscard]] bool decode(std::span<const std::uint32_t> words, std::span<float> row) const;
};

}  // namespace godwit
