// wire/frame_writer.cc: headers and padding of the parts of a frame.
// Not thread-safe.
#include "wire/frame_writer.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace godwit {

FrameWriter::FrameWriter(std::size_t parts_bytes, std::uint64_t term) {
  GODWIT_CHECK_LE(parts_bytes, kFrameBytesMax - kFrameHeaderBytes);
  frame_ = Frame::make(kFrameHeaderBytes + parts_bytes);
  write_header(frame_->bytes(), {.term = term});
}

std::span<std::byte> FrameWriter::add_part(PartType type, std::size_t payload_bytes) {
  GODWIT_CHECK_LE(payload_bytes, room());
  const std::size_t bytes = part_bytes_for(payload_bytes);
  GODWIT_CHECK_LE(bytes, room());
  const auto part = frame_->bytes().subspan(size_, bytes);
  size_ += bytes;

  std::memset(part.data(), 0, kPartHeaderBytes);
  part[0] = static_cast<std::byte>(type);
  const auto announced = static_cast<std::uint32_t>(payload_bytes);
  std::memcpy(&part[4], &announced, sizeof announced);
  const auto padding = part.subspan(kPartHeaderBytes + payload_bytes);
  if (!padding.empty()) std::memset(padding.data(), 0, padding.size());
  return part.subspan(kPartHeaderBytes, payload_bytes);
}

std::shared_ptr<Frame> FrameWriter::finish() {
  GODWIT_CHECK_EQ(room(), 0U);
  return std::move(frame_);
}

}  // namespace godwit
