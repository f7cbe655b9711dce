// godwit/codec.h: in which form the floats of a table's rows travel between nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/result.h"

namespace godwit {

// Less exact forms are smaller. What a delta loses on its way is kept by its sender and sent with
// the next one, so that sums lose nothing. The numbers travel: they must stay.
enum class Codec : std::uint8_t {
  kFp32 = 0,  // as they are
  kBf16 = 1,  // the upper half of each float: half the bytes, 8 significant bits
  kInt8 = 2,  // multiples, -127 to 127, of one scale per row: a quarter of the bytes
};

// "fp32", "bf16" or "int8". Anything else is kInvalidArgument naming these.
Result<Codec> parse_codec(std::string_view text);

// What parse_codec reads.
std::string to_string(Codec codec);

}  // namespace godwit
