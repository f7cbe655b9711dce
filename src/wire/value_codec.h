// wire/value_codec.h: how the floats of one row travel, and what error feedback keeps of them.
//
//   fp32   f32 values[n]
//   bf16   u16 upper_halves[n], zeros to a multiple of 4 bytes
//   int8   f32 scale, i8 multiples[n], zeros to a multiple of 4 bytes
//
// Little-endian; the bytes need no alignment. All results have the same bits on every instruction
// set. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <span>

#include "godwit/codec.h"

namespace godwit {

// Bytes of one coded row: a multiple of 4. REQUIRES: a codec that exists; one from a peer is
// checked by whoever reads it.
std::size_t coded_bytes(Codec codec, std::size_t floats);

// Fills `out`. False if the codec cannot carry this row: the caller then sends it in fp32, which
// carries every row, bit by bit; what `out` holds is not to be used. So no number ever becomes
// infinite, and no infinity or NaN spoils its neighbours.
//   bf16: rounds to nearest, ties to even. A NaN stays one (made quiet), an infinity stays; false
//         if a finite number would become infinite, which those from 0x1.ffp127 (3.396e38) on do.
//   int8: scale = max|x| / 127, of which the upper 17 significant bits are taken, so that the
//         products that decode() makes are exact; at least the smallest normal number. Off by at
//         most (1/2 + 2^-16) * scale. False if there is a NaN or an infinity.
// REQUIRES: out.size() == coded_bytes(codec, row.size()); out and row do not overlap.
[[nodiscard]] bool encode(Codec codec, std::span<const float> row, std::span<std::byte> out);

// As encode(), and leaves in `row_delta` the residual: what was given minus what decode() will
// make of `out`, to be added to the next delta of the row. It is exact: residual and decoded row
// sum to what was given without rounding. In fp32 it is zero, always.
// False, with `row_delta` untouched, in the cases of encode(), and in bf16 for any NaN or infinity
// too: a residual of it would be a NaN that never goes away.
// REQUIRES: as encode().
[[nodiscard]] bool encode_with_feedback(Codec codec, std::span<float> row_delta,
                                        std::span<std::byte> out);

// Fills `row`. Takes any bytes: those that no encoder makes may give any floats, among them NaNs
// and infinities; padding is not looked at.
// REQUIRES: coded.size() == coded_bytes(codec, row.size()); coded and row do not overlap.
void decode(Codec codec, std::span<const std::byte> coded, std::span<float> row);

}  // namespace godwit
