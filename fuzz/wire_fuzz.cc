// fuzz/wire_fuzz.cc: any bytes as a frame. What is refused is refused as corruption; what decodes
// encodes to the same bytes again and decodes to the same message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/frame.h"
#include "wire/any_message.h"
#include "wire/frame_view.h"

namespace {

using namespace godwit;  // NOLINT(google-build-using-namespace): a program of one file

void check_part(const PartView& part) {
  const auto message = decode_any(part);
  if (!message) {
    GODWIT_CHECK_EQ(message.error().code(), ErrorCode::kCorruption);
    return;
  }
  const auto frame = make_frame_of(0, {&*message, 1});
  const auto view = open_frame(frame->bytes());
  GODWIT_CHECK(view.ok());
  const PartView again = *view->begin();
  GODWIT_CHECK_EQ(again.type, part.type);
  GODWIT_CHECK(std::ranges::equal(again.payload, part.payload));
  const auto decoded = decode_any(again);
  GODWIT_CHECK(decoded.ok());
  GODWIT_CHECK(same(*decoded, *message));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto frame = Frame::make(size);  // aligned as a received one, and with nothing behind it
  if (size != 0) std::memcpy(frame->bytes().data(), data, size);
  const auto view = open_frame(frame->bytes());
  if (!view) {
    GODWIT_CHECK_EQ(view.error().code(), ErrorCode::kCorruption);
    return 0;
  }
  for (const PartView part : *view) check_part(part);
  return 0;
}
