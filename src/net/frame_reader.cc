// net/frame_reader.cc: buffers and cutting.
// Owned by the loop.
#include "net/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"

namespace godwit {

FrameReader::FrameReader() : buffer_(kBufferBytes) {}

std::span<const iovec> FrameReader::room() {
  const std::size_t window = last_was_large_ ? kBufferBytesInLarge : kBufferBytes;
  iovec* part = parts_;
  if (partial_) {
    const std::span<std::byte> rest = partial_->bytes().subspan(partial_filled_);
    *part++ = {rest.data(), rest.size()};
  }
  *part++ = {buffer_.data() + buffered_, window - buffered_};
  return {parts_, part};
}

Result<> FrameReader::commit(std::size_t count, std::vector<FramePtr>& frames) {
  if (partial_) {
    const std::size_t mine = std::min(count, partial_->size() - partial_filled_);
    partial_filled_ += mine;
    count -= mine;
    if (partial_filled_ == partial_->size()) frames.push_back(std::move(partial_));
  }
  if (count == 0) return {};
  buffered_ += count;
  GODWIT_CHECK_LE(buffered_, buffer_.size());
  return cut(frames);
}

Result<> FrameReader::cut(std::vector<FramePtr>& frames) {
  std::span<const std::byte> bytes(buffer_.data(), buffered_);
  while (bytes.size() >= kFrameHeaderBytes) {
    const std::size_t size = ByteReader(bytes).read_u32();
    if (size == 0 || size > kFrameBytesMax) {
      return corruption("a frame of {} bytes was announced, 1 to {} are possible", size,
                        kFrameBytesMax);
    }
    bytes = bytes.subspan(kFrameHeaderBytes);
    last_was_large_ = size >= kBufferBytes;
    std::shared_ptr<Frame> frame = Frame::make(size);
    const std::size_t here = std::min(size, bytes.size());
    if (here != 0) std::memcpy(frame->bytes().data(), bytes.data(), here);
    bytes = bytes.subspan(here);
    if (here == size) {
      frames.push_back(std::move(frame));
    } else {
      partial_ = std::move(frame);
      partial_filled_ = here;
    }
  }
  buffered_ = bytes.size();
  if (buffered_ != 0) std::memmove(buffer_.data(), bytes.data(), buffered_);
  return {};
}

}  // namespace godwit
