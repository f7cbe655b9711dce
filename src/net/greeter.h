// net/greeter.h: those who have connected and not yet proved who they are; a bounded number, each
// for a bounded time. Owned by the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

#include "net/handshake.h"

namespace godwit {

class Greeter {
 public:
  struct Options {
    HelloOptions hello;
    Duration deadline{};
    std::size_t strangers_max = 128;
  };
  // Called on the loop.
  struct Events {
    std::function<void(Greeted)> on_greeted;
    std::function<void(const Error&)> on_refused;  // says from where
    std::function<void()> on_shed;
  };

  Greeter(EventLoop& loop, Options options, Events events);

  // If there are too many now, the oldest is dropped: in a flood of silent ones a node that says
  // its hello at once still comes through.
  void greet(UniqueFd socket);

  std::size_t strangers() const { return strangers_.size(); }

 private:
  EventLoop& loop_;
  const Options options_;
  const Events events_;
  std::list<std::unique_ptr<Handshake>> strangers_;  // the oldest first
};

}  // namespace godwit
