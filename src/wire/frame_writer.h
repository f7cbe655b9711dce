// wire/frame_writer.h: fills one frame with parts. The size is known first, so nothing is copied
// twice: arrays go straight into the memory that the socket reads.
//
//   auto frame = make_frame(term, Pull{...}, Beat{});
//
//   FrameWriter writer(Answer::part_bytes(head.count, head.row_length, false), term);
//   const auto room = Answer::begin(writer, head, /*has_positions=*/false);
//   gather(keys, room.values);
//   auto frame = writer.finish();
//
// Not thread-safe; owned by one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/frame.h"
#include "wire/header.h"

namespace godwit {

class FrameWriter {
 public:
  // A frame for parts of `parts_bytes` bytes altogether: the sum of their part_bytes(). It is not
  // numbered until stamp_frame(). REQUIRES: the frame is not above kFrameBytesMax.
  FrameWriter(std::size_t parts_bytes, std::uint64_t term);

  // Adds a part and gives its payload, 8-byte aligned and not initialized: the caller fills all of
  // it before the frame is sent. Valid as long as the frame.
  // REQUIRES: part_bytes_for(payload_bytes) <= room().
  std::span<std::byte> add_part(PartType type, std::size_t payload_bytes);

  // Bytes of parts that are still to come.
  std::size_t room() const { return frame_->size() - size_; }

  // REQUIRES: room() == 0. Nothing may be added afterwards.
  std::shared_ptr<Frame> finish();

 private:
  std::shared_ptr<Frame> frame_;
  std::size_t size_ = kFrameHeaderBytes;  // of it is written
};

// A frame of these messages, in this order. REQUIRES: it is not above kFrameBytesMax.
template <class... Messages>
std::shared_ptr<Frame> make_frame(std::uint64_t term, const Messages&... messages) {
  FrameWriter writer((std::size_t{0} + ... + messages.part_bytes()), term);
  (messages.append_to(writer), ...);
  return writer.finish();
}

}  // namespace godwit
