// wire/frame_view.cc: whether parts tile a frame. What an Iterator reads was checked before.
// Thread-safe: no state.
#include "wire/frame_view.h"

#include <algorithm>
#include <cstring>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

std::uint32_t payload_bytes_of(const std::byte* part) {
  std::uint32_t result = 0;
  std::memcpy(&result, part + 4, sizeof result);
  return result;
}

// Whether `rest` begins with a whole part; `offset` is its place in the frame.
Result<> check_part(std::span<const std::byte> rest, std::size_t offset) {
  constexpr auto kIsZero = [](std::byte b) { return b == std::byte{0}; };
  if (rest.size() < kPartHeaderBytes) {
    return corruption("frame: {} bytes are left at {}, too few for a part", rest.size(), offset);
  }
  const auto type = std::to_integer<std::uint8_t>(rest[0]);
  if (!is_part_type(type)) return corruption("part at {}: unknown type {}", offset, type);
  const std::string_view name = to_string(static_cast<PartType>(type));
  if (!std::ranges::all_of(rest.subspan(1, 3), kIsZero)) {
    return corruption("{} at {}: a zero byte of its header is not zero", name, offset);
  }
  const std::size_t payload_bytes = payload_bytes_of(rest.data());
  const std::size_t bytes = part_bytes_for(payload_bytes);
  if (bytes > rest.size()) {
    return corruption("{} at {}: announces {} bytes, the frame ends after {}", name, offset,
                      payload_bytes, rest.size() - kPartHeaderBytes);
  }
  const std::size_t end = kPartHeaderBytes + payload_bytes;
  if (!std::ranges::all_of(rest.subspan(end, bytes - end), kIsZero)) {
    return corruption("{} at {}: its padding is not zero", name, offset);
  }
  return {};
}

}  // namespace

PartView FrameView::Iterator::operator*() const {
  return {.type = static_cast<PartType>(part_[0]),
          .payload = {part_ + kPartHeaderBytes, payload_bytes_of(part_)}};
}

FrameView::Iterator& FrameView::Iterator::operator++() {
  part_ += part_bytes_for(payload_bytes_of(part_));
  return *this;
}

Result<FrameView> open_frame(std::span<const std::byte> bytes) {
  if (bytes.size() > kFrameBytesMax) {
    return corruption("frame: {} bytes, at most {} are allowed", bytes.size(), kFrameBytesMax);
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kPartAlignment != 0) {
    return corruption("frame: its memory is not {}-byte aligned", kPartAlignment);
  }
  GODWIT_TRY_ASSIGN(const FrameHeader header, read_header(bytes));
  const auto parts = bytes.subspan(kFrameHeaderBytes);
  auto rest = parts;
  while (!rest.empty()) {
    GODWIT_TRY(check_part(rest, bytes.size() - rest.size()));
    rest = rest.subspan(part_bytes_for(payload_bytes_of(rest.data())));
  }
  return FrameView(header, parts);
}

}  // namespace godwit
