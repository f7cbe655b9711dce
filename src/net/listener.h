// net/listener.h: accepts connections at one or more addresses. Owned by the loop.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/unique_fd.h"
#include "net/event_loop.h"
#include "net/socket_address.h"
#include "net/socket_watch.h"

namespace godwit {

class Listener {
 public:
  struct Events {
    std::function<void(UniqueFd)> on_accepted;
    std::function<void()> on_failed;  // the system had no descriptor left; tried again by timer
  };

  // REQUIRES: `loop` and `log` outlive the listener.
  Listener(EventLoop& loop, const Log& log);
  // Removes the files of its Unix sockets.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The address listened at, with its port. Connections wait in the system until start().
  // kInvalidArgument if it is in use or not possible.
  Result<SocketAddress> add(const SocketAddress& address);
  // REQUIRES: called once, after the last add().
  void start(Events events);

 private:
  struct Door {
    Door(const SocketAddress& at, UniqueFd listening) : address(at), socket(std::move(listening)) {}

    SocketAddress address;
    UniqueFd socket;
    std::optional<SocketWatch> watch;
  };
  // How many are accepted before other sockets get their turn, and how long to wait for
  // descriptors.
  static constexpr int kAcceptsPerTurn = 16;
  static constexpr Duration kRetryAfter = std::chrono::milliseconds(100);

  void accept_some(Door& door);

  EventLoop& loop_;
  const Log& log_;
  LogLimit limit_;
  Events events_;
  std::list<Door> doors_;
  std::optional<EventLoop::TimerId> retry_;
};

}  // namespace godwit
