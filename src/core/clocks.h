// core/clocks.h: ticks of all workers of the job: tells other nodes how far this one is, knows what
// is stable, and lets threads wait for it. Owned by the node's state machine.
//
// Nothing is sent before there is a table whose reads may not be older than some ticks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "clock/stable_tick.h"
#include "clock/staleness.h"
#include "clock/worker_ticks.h"
#include "core/links.h"
#include "core/members.h"
#include "core/tables.h"
#include "core/tick_buffers.h"
#include "core/waits.h"
#include "wire/clock_messages.h"

namespace godwit {

class Clocks {
 public:
  // `workers`: as many of this node are expected from tick 0 on.
  // Closes ticks of `buffers` when they are stable. REQUIRES: all arguments outlive this.
  Clocks(NodeId self, std::int64_t nodes, std::int64_t workers, const Tables& tables,
         TickBuffers& buffers, Links& links, Waits& waits, Time now);

  bool is_on() const { return tables_.staleness().has_value(); }

  // A worker is about to begin: the ticket is done when it may; tick_of() says where it begins.
  void begin_worker(TicketId ticket, WorkerId worker, Time now);
  Tick tick_of(WorkerId worker) const;
  void advance(WorkerId worker, Tick to) { workers_.advance(worker, to); }
  void end_worker(WorkerId worker) { workers_.end(worker); }
  const WorkerTicks& workers() const { return workers_; }

  // What should be flushed and is not: all that workers changed up to this tick.
  std::optional<Tick> to_flush() const;
  // It is: tells the others.
  void on_flushed(Tick tick, Time now);

  Tick stable() const { return ticks_.stable(); }
  Tick flushed(NodeId node) const { return ticks_.flushed(node); }
  // Begins `ticket`, which is done when `need` is stable. REQUIRES: it is not.
  void wait(TicketId ticket, Purpose purpose, Tick need);
  bool is_waiting(TicketId ticket) const;
  // Nodes that are asked where a worker, whose begin this ticket is, may begin, and have not
  // answered.
  std::vector<NodeId> asked_for(TicketId ticket) const;
  // Who keeps stable from rising: "worker 3 of node 1, in tick 4 for 2.3 s". Of several nodes the
  // one that was not heard for the longest time: others may wait for its acknowledgements.
  std::string describe_slowest(Time now, const Members& members) const;

  // When send_riders() should be called at the latest: what is to be told goes with other messages
  // until then.
  Time deadline() const { return riders_due_; }
  void send_riders();

  // What other nodes say. kCorruption if they cannot have meant it. Who asks for rows knows that
  // this is stable:
  Result<> on_stable(ShortTick stable);
  Result<> on_clock(NodeId peer, const Clock& clock, Time now);
  Result<> on_join(NodeId peer, Time now);
  Result<> on_joined(NodeId peer, const JoinedClock& joined);
  // A node will change nothing any more.
  void on_left(NodeId peer, Time now);

 private:
  // Where reads may lag anyway, what is to be told may wait for another message to go with: for a
  // part of the time between two of its kind, and not for longer than this.
  static constexpr Duration kRideMax = std::chrono::microseconds(500);
  static constexpr int kRideShare = 3;

  struct Waiting {
    TicketId ticket;
    Tick need;
  };
  // What is known of a node beside its flushed tick.
  struct Place {
    WorkerId slowest;
    Time since;               // it is where it is
    bool has_left = false;    // for good
    bool is_awaited = false;  // its word that this node counts again
  };
  struct Joining {
    WorkerId worker;
    TicketId ticket;
  };

  Place& place(NodeId node) { return places_[static_cast<std::size_t>(node.value())]; }
  const Place& place(NodeId node) const { return places_[static_cast<std::size_t>(node.value())]; }
  void tell(Tick flushed, Time now);
  void hear(NodeId node, Tick flushed, Time now);
  // Stable has risen.
  void let_go();
  // The last tick of this node's workers, if there is none any more.
  Tick last_if_all_ended() const;
  // A peer knows that this node counts again, or has left.
  void agreed(NodeId peer);

  const NodeId self_;
  const std::int64_t nodes_;
  const Tables& tables_;
  TickBuffers& buffers_;
  Links& links_;
  Waits& waits_;
  WorkerTicks workers_;
  StableTick ticks_;
  std::vector<Place> places_;
  std::vector<Waiting> waiting_;
  // Workers that begin on this node while it does not count, until all others know.
  std::vector<Joining> joining_;
  Tick joins_after_ = kNoTick;
  Time riders_due_ = Time::max();
  Time flushed_at_;  // the last time
};

}  // namespace godwit
