// net/connection.h: an authenticated connection: reads frames, and writes what its outbox could
// not send at once. Owned by the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "net/event_loop.h"
#include "net/frame_reader.h"
#include "net/outbox.h"
#include "net/socket_watch.h"

namespace godwit {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Called on the loop; each may close() the connection.
  struct Events {
    std::function<void(FramePtr)> on_frame;
    std::function<void()> on_room;
    std::function<void(const Error&)> on_lost;  // the last call; close() is left to the callee
  };

  // `outbox` is open()ed for this socket here and outlives the connection's close().
  Connection(EventLoop& loop, UniqueFd socket, Outbox& outbox, Events events);
  ~Connection();

  // Begins to read; `early` are bytes that were read with the hello.
  void start(std::vector<std::byte> early);
  // The outbox said must_wait.
  void write_when_writable();
  // The other side reads an end once it has read all that was sent. REQUIRES: outbox is empty.
  void end_writing();
  // Nothing is called from now on. A second call does nothing.
  void close();

  int fd() const { return socket_.fd(); }

 private:
  static constexpr int kReadsPerTurn = 4;

  void read_some();
  bool take(std::size_t count);
  void write_some();
  void lose(const Error& why);

  EventLoop& loop_;
  UniqueFd socket_;
  Outbox& outbox_;
  Events events_;
  FrameReader reader_;
  std::vector<FramePtr> frames_;  // kept to be filled again
  std::optional<SocketWatch> watch_;
  bool is_closed_ = false;
};

}  // namespace godwit
