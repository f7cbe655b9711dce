// net/outbox.cc: sending on the caller's thread, and the queue behind it.
// Thread-safe. The mutex is held during one sendmsg, which does not block.
#include "net/outbox.h"

#include <cerrno>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "net/frame_reader.h"
#include "net/sockets.h"

namespace godwit {

Outbox::Outbox(std::size_t bytes_max) : bytes_max_(bytes_max) {
  GODWIT_CHECK_GT(bytes_max, 0U);
}

void Outbox::open(int fd) {
  const MutexLock lock(mutex_);
  GODWIT_CHECK_EQ(fd_, -1);
  fd_ = fd;
  takes_frames_ = true;
  error_ = 0;
}

void Outbox::close() {
  std::deque<Waiting> dropped;  // freed after the lock
  const MutexLock lock(mutex_);
  fd_ = -1;
  takes_frames_ = false;
  dropped.swap(queue_);
  waiting_bytes_ = 0;
  refused_bytes_ = 0;
}

void Outbox::finish() {
  const MutexLock lock(mutex_);
  takes_frames_ = false;
}

Outbox::Sent Outbox::send(FramePtr frame) {
  const std::size_t size = frame->size();
  GODWIT_CHECK(size > 0 && size <= kFrameBytesMax);
  const std::uint32_t header = internal::to_little(static_cast<std::uint32_t>(size));

  const MutexLock lock(mutex_);
  if (!takes_frames_ || error_ != 0) return {SendStatus::kDown, false};
  if (!queue_.empty()) {
    if (waiting_bytes_ + kFrameHeaderBytes + size > bytes_max_) {
      refused_bytes_ = std::max(refused_bytes_, kFrameHeaderBytes + size);
      return {SendStatus::kFull, false};
    }
    queue_.push_back({std::move(frame), header, 0});
    waiting_bytes_ += kFrameHeaderBytes + size;
    return {SendStatus::kTaken, false};
  }

  const std::array<iovec, 2> parts = {iovec{const_cast<std::uint32_t*>(&header), kFrameHeaderBytes},
                                      iovec{const_cast<std::byte*>(frame->bytes().data()), size}};
  const long sent = send_some(fd_, parts);
  if (sent < 0 && sent != -EAGAIN) {
    error_ = static_cast<int>(-sent);
    return {SendStatus::kDown, true};
  }
  const std::size_t count = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (count == kFrameHeaderBytes + size) return {SendStatus::kTaken, false};
  queue_.push_back({std::move(frame), header, count});
  waiting_bytes_ = kFrameHeaderBytes + size - count;
  return {SendStatus::kTaken, true};
}

Outbox::Written Outbox::write_some() {
  Written written;
  for (int i = 0; i < kWritesPerTurn; ++i) {
    if (!write_once(written)) break;
  }
  return written;
}

// False if another write would be of no use.
bool Outbox::write_once(Written& written) {
  const MutexLock lock(mutex_);
  if (error_ == 0 && fd_ >= 0 && !queue_.empty()) {
    std::array<iovec, kPartsMax> parts;
    const long sent = send_some(fd_, {parts.data(), collect(parts)});
    if (sent >= 0) {
      drop_sent(static_cast<std::size_t>(sent));
    } else if (sent != -EAGAIN) {
      error_ = static_cast<int>(-sent);
    } else {
      written.progress = Progress::kBlocked;
      return false;
    }
  }
  if (error_ != 0) {
    written.progress = Progress::kBroken;
    written.error = error_;
    return false;
  }
  if (refused_bytes_ != 0 && waiting_bytes_ <= bytes_max_ / 2 &&
      (queue_.empty() || waiting_bytes_ + refused_bytes_ <= bytes_max_)) {
    refused_bytes_ = 0;
    written.has_room = true;
  }
  written.progress = queue_.empty() ? Progress::kEmpty : Progress::kBlocked;
  return !queue_.empty();
}

std::size_t Outbox::collect(std::array<iovec, kPartsMax>& parts) const {
  std::size_t used = 0;
  std::size_t bytes = 0;
  for (const Waiting& waiting : queue_) {
    if (used + 2 > kPartsMax || bytes >= kBytesPerWrite) break;
    std::size_t skip = waiting.sent;
    if (skip < kFrameHeaderBytes) {
      const auto* header = reinterpret_cast<const std::byte*>(&waiting.header);
      parts[used++] = {const_cast<std::byte*>(header + skip), kFrameHeaderBytes - skip};
      bytes += kFrameHeaderBytes - skip;
      skip = kFrameHeaderBytes;
    }
    std::span<const std::byte> rest = waiting.frame->bytes().subspan(skip - kFrameHeaderBytes);
    rest = rest.first(std::min(rest.size(), kBytesPerWrite));
    parts[used++] = {const_cast<std::byte*>(rest.data()), rest.size()};
    bytes += rest.size();
  }
  return used;
}

void Outbox::drop_sent(std::size_t count) {
  waiting_bytes_ -= count;
  while (count != 0) {
    Waiting& first = queue_.front();
    const std::size_t rest = kFrameHeaderBytes + first.frame->size() - first.sent;
    if (count < rest) {
      first.sent += count;
      return;
    }
    count -= rest;
    queue_.pop_front();
  }
}

bool Outbox::is_empty() const {
  const MutexLock lock(mutex_);
  return queue_.empty();
}

std::size_t Outbox::waiting_bytes() const {
  const MutexLock lock(mutex_);
  return waiting_bytes_;
}

}  // namespace godwit
