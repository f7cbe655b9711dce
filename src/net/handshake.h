// net/handshake.h: says a hello over a socket, within a deadline. Owned by the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/unique_fd.h"
#include "net/event_loop.h"
#include "net/hello.h"
#include "net/socket_watch.h"

namespace godwit {

// A connection whose other end has proved who it is.
struct Greeted {
  UniqueFd socket;
  NodeId peer;
  Incarnation incarnation;
  std::vector<std::byte> early;  // what arrived behind the hello
};

class Handshake {
 public:
  // Called once, on the loop, never inside the constructor; it may destroy the handshake.
  // kUnavailable: the connection was not made, or lost; kTimeout: the deadline passed; else what
  // Hello::error() says.
  using Done = std::function<void(Result<Greeted>)>;

  // A connecting hello begins when the socket is connected, so that the deadline covers both.
  // Nothing is called if the handshake is destroyed first.
  Handshake(EventLoop& loop, UniqueFd socket, Hello hello, Time deadline, Done done);
  ~Handshake();
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

 private:
  void on_readable();
  void on_writable();
  bool send_output();
  void finish(Result<Greeted> result);

  EventLoop& loop_;
  UniqueFd socket_;
  Hello hello_;
  Done done_;
  EventLoop::TimerId timer_;
  std::optional<SocketWatch> watch_;
};

}  // namespace godwit
