// base/frame.h: the bytes of one message between nodes, shared by who sends and who may send again.
// Thread-safe once filled: it is never changed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "godwit/ids.h"

namespace godwit {

// Which life of a process speaks: a restarted node has another one. Never 0.
using Incarnation = StrongId<struct IncarnationTag>;

// The bytes of one message. Written by its maker, then shared and never changed again: a sender
// may keep it for resending while a socket still reads it.
class Frame {
 public:
  // Not initialized: to be filled by the caller.
  static std::shared_ptr<Frame> make(std::size_t size) {
    return std::make_shared<Frame>(Private{}, size);
  }

  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  struct Private {};

 public:
  Frame(Private /*only make()*/, std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

 private:
  const std::unique_ptr<std::byte[]> bytes_;
  const std::size_t size_;
};

using FramePtr = std::shared_ptr<const Frame>;

enum class SendStatus : std::uint8_t {
  kTaken,  // will be sent, unless the connection is lost
  kFull,   // not taken: the queue to this peer is full; a call of on_room() will follow
  kDown,   // not taken: there is no connection; a call of on_up() follows if there is one again
};

// Who takes frames for other nodes: a transport, or a simulated one.
class FrameSink {
 public:
  virtual ~FrameSink() = default;

  // Never blocks. REQUIRES: 0 < frame->size() <= kFrameBytesMax.
  virtual SendStatus send(NodeId peer, FramePtr frame) = 0;
};

inline constexpr std::size_t kFrameBytesMax = std::size_t{256} << 20;

}  // namespace godwit
