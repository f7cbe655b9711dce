// base/codec.cc: the words for codecs. Here because the specs of tables and the messages, which do
// not know each other, both use them.
// Thread-safe: no state.
#include "godwit/codec.h"

#include "base/errors.h"

namespace godwit {

Result<Codec> parse_codec(std::string_view text) {
  for (const Codec codec : {Codec::kFp32, Codec::kBf16, Codec::kInt8}) {
    if (text == to_string(codec)) return codec;
  }
  return invalid_argument("codec '{}' is none of fp32, bf16, int8", text);
}

std::string to_string(Codec codec) {
  switch (codec) {
    case Codec::kFp32:
      return "fp32";
    case Codec::kBf16:
      return "bf16";
    case Codec::kInt8:
      return "int8";
  }
  return "unknown";
}

}  // namespace godwit
