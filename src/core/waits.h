// core/waits.h: what this node's threads wait for: tickets with counts, causes and results.
// Owned by the state machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/frame.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// A promise of the state machine to one thread.
using TicketId = StrongId<struct TicketTag>;

// Told when a ticket is done. Called from inside the state machine: must not call back into it.
class TicketEvents {
 public:
  virtual ~TicketEvents() = default;
  virtual void on_done(TicketId ticket) = 0;
};

// What a ticket is for, to be said in messages: {"pull", 12} is "pull of 12 keys".
struct Purpose {
  const char* verb = "";
  std::uint64_t keys = 0;
};

// An answer that arrived: its values lie in the frame.
struct Arrived {
  std::size_t request = 0;                   // which of the ticket's requests
  NodeId owner;                              // who has answered
  FramePtr frame;                            // keeps the spans alive
  std::span<const std::uint32_t> positions;  // within the request; empty = all of it, in order
  std::span<const float> values;
};

// A ticket consists of requests to peers, each for a number of things; it is done when all came or
// one failed.
class Waits {
 public:
  explicit Waits(TicketEvents& events) : events_(events) {}

  // A number for a ticket that begins later: requests are written before they are begun.
  // Thread-safe, unlike the rest.
  TicketId reserve() { return TicketId{last_ticket_.fetch_add(1, std::memory_order_relaxed) + 1}; }

  struct Request {
    NodeId peer;
    std::uint64_t count = 0;  // of things to come
  };
  // `row_length`: of the answers that will come, 0 if none are wanted. `rows_may_move`: some rows
  // may come to stay instead, and are only counted.
  void begin(TicketId reserved, Purpose purpose, std::vector<Request> requests,
             std::uint32_t row_length = 0, bool rows_may_move = false);

  // The number under which a request of a ticket travels, and back.
  static std::uint64_t wire_number(TicketId ticket, std::size_t request);
  static TicketId ticket_of(std::uint64_t wire_number);
  static std::size_t request_of(std::uint64_t wire_number);

  // `count` things of a request came. kCorruption if that cannot be: there is no such request, it
  // waits for fewer, or the answer has other rows than were asked for; then nothing has changed.
  // What comes for a ticket that has ended is dropped.
  Result<> arrived(std::uint64_t wire_number, std::uint64_t count);
  Result<> arrived(std::uint64_t wire_number, std::uint64_t count, std::uint32_t row_length,
                   Arrived answer);
  // The same of an answer whose rows only who asked can read: all of a request, in `frame`.
  Result<> arrived_coded(std::uint64_t wire_number, std::uint64_t count, Arrived answer);
  // All that a ticket awaits of a peer has come.
  void arrived_from(TicketId ticket, NodeId peer);
  // The ticket is done with this error, unless it is done already.
  void fail(TicketId ticket, const Error& error);
  void fail_all(const Error& error);

  bool is_done(TicketId ticket) const;
  struct Outcome {
    std::optional<Error> error;
    std::vector<Arrived> answers;
  };
  // Ends the ticket: what came of it. REQUIRES: is_done(ticket).
  Outcome take(TicketId ticket);
  // Ends a ticket that nobody waits for any longer.
  void abandon(TicketId ticket) { tickets_.erase(ticket); }

  // "pull of 12 keys". REQUIRES: begun and neither taken nor abandoned.
  std::string what(TicketId ticket) const;
  bool exists(TicketId ticket) const { return tickets_.contains(ticket); }
  // The peers it waits for now.
  std::vector<NodeId> waiting_for(TicketId ticket) const;
  std::size_t open() const { return tickets_.size(); }

 private:
  struct Ticket {
    Purpose purpose;
    std::vector<Request> requests;     // counts fall to 0
    std::vector<std::uint64_t> sizes;  // the counts they began with
    std::uint64_t awaited = 0;         // the sum of what is left
    std::uint32_t row_length = 0;
    bool rows_may_move = false;
    bool done = false;
    Outcome outcome;
  };

  void finish(TicketId id, Ticket& ticket);
  // The ticket that waits for this, null if it has ended.
  Result<Ticket*> waiting(std::uint64_t wire_number, std::uint64_t count);
  void count_down(std::uint64_t wire_number, std::uint64_t count, Ticket& ticket);

  TicketEvents& events_;
  std::map<TicketId, Ticket> tickets_;
  std::atomic<std::int64_t> last_ticket_{0};
};

}  // namespace godwit
