// sim/core_host.h: what every simulated process does: it hosts a node's state machine, gives it
// what the network brings and its timers, and lets scripts wait for tickets and for time to pass.
#pragma once

#include <coroutine>
#include <map>

#include "base/prng.h"
#include "core/node_core.h"
#include "core/tables.h"
#include "sim/network.h"

namespace godwit::sim {

class CoreHost : public TransportEvents, public TicketEvents {
 public:
  void on_up(NodeId peer, Incarnation incarnation) override;
  void on_frame(NodeId peer, FramePtr frame) override;
  void on_room(NodeId peer) override;
  void on_down(NodeId peer, const Error& why) override;
  // The script that waits for it runs a little later, like a real thread.
  void on_done(TicketId ticket) override;

  NodeCore& core() { return core_; }
  const NodeCore& core() const { return core_; }

 protected:
  // Awaited: the ticket's outcome; some time later.
  struct Done {
    CoreHost& host;
    TicketId ticket;
    bool await_ready() const { return host.core_.waits().is_done(ticket); }
    void await_suspend(std::coroutine_handle<> by) { host.waiting_[ticket] = by; }
    Waits::Outcome await_resume();
  };
  struct Pause {
    CoreHost& host;
    Duration time;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> by);
    void await_resume() const {}
  };

  // `make_options` draws from this process's random numbers.
  template <typename MakeOptions>
  CoreHost(Network& network, NodeId self, Prng prng, const MakeOptions& make_options)
      : network_(network),
        self_(self),
        prng_(prng),
        tables_(std::uint64_t{1} << 28),
        core_(make_options(prng_), tables_, network.sink(self), *this, network.now()) {
    network.attach(self, *this);
  }

  // To be called after all that the state machine may have done something at.
  void look();
  // Looks at the state machine, when something has happened.
  virtual void on_look() {}
  // A ticket that a script waited for has brought this.
  virtual void on_error(const Error& /*error*/) {}
  // Scripts go no further.
  virtual bool has_ended() const { return false; }

  Time now() const { return network_.now(); }
  Done done(TicketId ticket) { return {*this, ticket}; }
  Pause pause(Duration most) {
    return {*this, Duration(1 + prng_.below(static_cast<std::uint64_t>(most.count()) + 1))};
  }
  TicketId reserve() { return core_.waits().reserve(); }

  Network& network_;
  const NodeId self_;
  Prng prng_;
  Tables tables_;
  NodeCore core_;
  std::map<TicketId, std::coroutine_handle<>> waiting_;

 private:
  Time timer_armed_ = Time::max();
};

}  // namespace godwit::sim
