// net/frame_reader.h: cuts the bytes of a connection into frames, with as few reads and copies as
// it can. Knows no sockets. Owned by the loop.
//
// On the wire a frame is 4 bytes of length, little-endian, then that many bytes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <vector>

#include "net/transport.h"

namespace godwit {

inline constexpr std::size_t kFrameHeaderBytes = 4;

// Small frames are read many at a time into one buffer and copied out; the rest of a frame that
// has begun is read straight to where it stays.
class FrameReader {
 public:
  FrameReader();

  // Where the next bytes go, in order; valid until the next call. Never empty.
  std::span<const iovec> room();

  // `count` bytes were put into room(). Appends the frames that are complete now. kCorruption for
  // a length of 0 or above kFrameBytesMax: the connection is of no use any more.
  Result<> commit(std::size_t count, std::vector<FramePtr>& frames);

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  // What is read beyond a large frame: enough for the next length, little that must be copied.
  static constexpr std::size_t kBufferBytesInLarge = std::size_t{4} << 10;

  Result<> cut(std::vector<FramePtr>& frames);

  std::vector<std::byte> buffer_;
  std::size_t buffered_ = 0;  // bytes of buffer_ that are not cut yet: part of a header
  std::shared_ptr<Frame> partial_;
  std::size_t partial_filled_ = 0;
  bool last_was_large_ = false;
  iovec parts_[2] = {};
};

}  // namespace godwit
