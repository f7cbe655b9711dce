// net/transport.h: how frames travel between the nodes of a job. Knows nothing of their meaning.
//
// A transport promises little: frames arrive whole, and in order within one connection; when a
// connection is lost, what was on its way may be gone, and both sides are told. Numbering,
// resending and dropping repeats is the business of core/links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "godwit/ids.h"
#include "godwit/result.h"

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

inline constexpr std::size_t kFrameBytesMax = std::size_t{256} << 20;

// What a transport tells its user. Calls come one at a time.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;

  // A connection to `peer` is open, for the first time or again. Nothing sent before it arrives.
  virtual void on_up(NodeId peer, Incarnation incarnation) = 0;
  virtual void on_frame(NodeId peer, FramePtr frame) = 0;
  // After send() answered kFull: there is room again.
  virtual void on_room(NodeId peer) = 0;
  // The connection is gone; the transport goes on trying to make a new one. `why` says what
  // happened, for logs and for the messages of those who wait for this peer.
  virtual void on_down(NodeId peer, const Error& why) = 0;
};

enum class SendStatus : std::uint8_t {
  kTaken,  // will be sent, unless the connection is lost
  kFull,   // not taken: the queue to this peer is full; on_room() will follow
  kDown,   // not taken: there is no connection; on_up() will follow if there is one again
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Thread-safe. Never blocks. Sends at once where the connection can take it.
  // REQUIRES: 0 < frame->size() <= kFrameBytesMax.
  virtual SendStatus send(NodeId peer, FramePtr frame) = 0;
};

}  // namespace godwit
