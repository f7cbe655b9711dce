// net/connector.h: makes a connection to one node, by the best way that works, and tries again
// until it has one. Owned by the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "net/handshake.h"
#include "net/socket_address.h"

namespace godwit {

class Connector {
 public:
  struct Options {
    std::vector<SocketAddress> ways;  // in order of preference; not empty
    HelloOptions hello;
    NodeId wanted;
    Duration hello_deadline{};
    Duration retry_min{};  // doubled at every failure in a row
    Duration retry_max{};
  };
  // Called on the loop.
  struct Events {
    std::function<void(Greeted)> on_connected;  // idle from then on, until the next start()
    // After every round over the ways; goes on trying unless it is stopped here.
    std::function<void(const Error&)> on_failed;
  };

  Connector(EventLoop& loop, Options options, Events events);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  // Tries at once, and calls back later; soon after a success, only after a pause, so that a
  // connection that is lost as soon as it is made is not made anew all the time. REQUIRES: idle.
  void start();
  // Harmless when idle.
  void stop();

 private:
  void try_way(std::size_t index);
  void on_done(std::size_t index, Result<Greeted> result);
  void try_later();

  EventLoop& loop_;
  const Options options_;
  const Events events_;
  Duration pause_;
  std::optional<Time> last_success_;
  std::optional<EventLoop::TimerId> timer_;
  std::unique_ptr<Handshake> handshake_;
};

}  // namespace godwit
