// net/socket_watch.h: tells when a socket can be read or written. Owned by the loop.
#pragma once

#include <cstdint>
#include <memory>

#include "net/event_loop.h"

namespace godwit {

// A call may destroy the watch. REQUIRES: destroyed before its socket is closed and before its
// loop.
class SocketWatch {
 public:
  // `on_readable` and `on_writable` are called as tasks of the loop, errors and end of file
  // included: the next read or write tells. The watch does not own `fd`.
  SocketWatch(EventLoop& loop, int fd, EventLoop::Task on_readable, EventLoop::Task on_writable);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // False if the system refuses to watch the socket (no memory); then nothing is ever called.
  bool ok() const;
  // One call of on_readable, or on_writable. Harmless if armed already.
  void arm_read();
  void arm_write();

  // From now on on_readable is called while there is something to read, also on threads that help.
  // REQUIRES: called once, and arm_read() never.
  void share_reads();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace godwit
