// net/outbox.h: what is on its way out to one peer. Thread-safe.
// A frame goes to the socket in the very call that sends it, unless others wait before it.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/mutex.h"
#include "net/transport.h"

namespace godwit {

class Outbox {
 public:
  // REQUIRES: bytes_max > 0.
  explicit Outbox(std::size_t bytes_max);

  // From now on frames go to `fd`, which the caller keeps open until close(). REQUIRES: closed.
  void open(int fd) GODWIT_EXCLUDES(mutex_);
  // Drops what waits. When it returns nobody uses the socket any more.
  void close() GODWIT_EXCLUDES(mutex_);
  // Takes nothing more; what waits still goes out.
  void finish() GODWIT_EXCLUDES(mutex_);

  struct Sent {
    SendStatus status = SendStatus::kDown;
    // The socket would not take it all: the caller must see to it that the loop calls write_some()
    // when the socket is writable. Said once, until write_some() says kEmpty.
    bool must_wait = false;
  };
  // Frames are taken while they fit in bytes_max together with those that wait, and always when
  // none waits. REQUIRES: 0 < frame->size() <= kFrameBytesMax.
  Sent send(FramePtr frame) GODWIT_EXCLUDES(mutex_);

  enum class Progress : std::uint8_t {
    kEmpty,    // nothing waits any more
    kBlocked,  // call again when the socket is writable
    kBroken,   // the connection is lost; see `error`
  };
  struct Written {
    Progress progress = Progress::kEmpty;
    bool has_room = false;  // somebody was told kFull, and now half of the room is free
    int error = 0;          // the error number
  };
  // Gives the socket what it takes, several frames a call.
  Written write_some() GODWIT_EXCLUDES(mutex_);

  bool is_empty() const GODWIT_EXCLUDES(mutex_);
  std::size_t waiting_bytes() const GODWIT_EXCLUDES(mutex_);

 private:
  struct Waiting {
    FramePtr frame;
    std::uint32_t header = 0;  // the length as it goes over the wire
    std::size_t sent = 0;      // of header and frame
  };
  static constexpr std::size_t kPartsMax = 128;
  static constexpr std::size_t kBytesPerWrite = std::size_t{256} << 10;
  static constexpr int kWritesPerTurn = 8;

  std::size_t collect(std::array<iovec, kPartsMax>& parts) const GODWIT_REQUIRES(mutex_);
  void drop_sent(std::size_t count) GODWIT_REQUIRES(mutex_);
  bool write_once(Written& written) GODWIT_EXCLUDES(mutex_);

  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  int fd_ GODWIT_GUARDED_BY(mutex_) = -1;
  bool takes_frames_ GODWIT_GUARDED_BY(mutex_) = false;
  int error_ GODWIT_GUARDED_BY(mutex_) = 0;
  std::deque<Waiting> queue_ GODWIT_GUARDED_BY(mutex_);
  std::size_t waiting_bytes_ GODWIT_GUARDED_BY(mutex_) = 0;
  std::size_t refused_bytes_ GODWIT_GUARDED_BY(mutex_) = 0;  // largest that got kFull; 0: none
};

}  // namespace godwit
