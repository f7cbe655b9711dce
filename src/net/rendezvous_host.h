// net/rendezvous_host.h: node 0 at a rendezvous: lets the others register and answers them all.
// Owned by one thread, which runs the loop.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/connection.h"
#include "net/greeter.h"
#include "net/listener.h"
#include "net/rendezvous.h"
#include "net/rendezvous_messages.h"

namespace godwit {

class RendezvousHost {
 public:
  // REQUIRES: `options` have been checked, options.self is 0, and all outlive this.
  RendezvousHost(EventLoop& loop, const RendezvousOptions& options, const Log& log);
  ~RendezvousHost();

  // See rendezvous(). Returns soon after the outcome is known: at most a second later.
  Result<std::vector<Peer>> run();

 private:
  // Somebody of the job: a node that is connected and has perhaps registered.
  struct Guest {
    Guest(NodeId node_id, Incarnation its_incarnation, std::string its_place)
        : node(node_id), incarnation(its_incarnation), place(std::move(its_place)) {}

    const NodeId node;
    const Incarnation incarnation;
    const std::string place;
    Outbox outbox{std::size_t{64} << 20};
    std::shared_ptr<Connection> connection;
    std::optional<Endpoint> endpoint;  // once it has registered
    bool is_answered = false;
    bool has_ended_writing = false;
  };
  using Guests = std::list<Guest>;

  void on_greeted(Greeted greeted);
  void on_frame(Guests::iterator guest, const Frame& frame);
  Result<> register_guest(Guests::iterator guest, const Registration& registration);
  Error refuse_second(NodeId node, const std::string& first, const std::string& second);
  void answer(Guest& guest, const RendezvousAnswer& what);
  void answer_all(const RendezvousAnswer& what);
  void send(Guest& guest, const RendezvousAnswer& what);
  void remove(Guests::iterator guest);
  void tell_who_is_missing();
  Guest* registered(NodeId node);
  std::string missing() const;
  Error late() const;
  std::vector<Peer> peers() const;
  void let_answers_arrive();

  EventLoop& loop_;
  const RendezvousOptions& options_;
  const Log& log_;
  LogLimit limit_;
  Guests guests_;
  std::int64_t registered_ = 0;
  std::string last_told_;
  std::string repeated_;         // two processes with one id, in words; empty: none
  std::optional<Error> failed_;  // ends it
  std::optional<EventLoop::TimerId> timer_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Greeter> greeter_;
};

}  // namespace godwit
