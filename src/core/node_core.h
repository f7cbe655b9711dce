// core/node_core.h: the node's state machine: what arrives goes in, what is to be sent comes out.
// Single-threaded: its owner calls one function at a time. Knows no socket, no thread, no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "base/frame.h"
#include "base/time_source.h"
#include "core/barriers.h"
#include "core/links.h"
#include "core/members.h"
#include "core/router.h"
#include "core/shared_rows.h"
#include "core/table_registry.h"
#include "core/waits.h"
#include "placement/partition_map.h"

namespace godwit {

struct NodeCoreOptions {
  NodeId self;
  std::int64_t nodes = 1;
  Liveness liveness;
  Links::Options links;
  Router::FirstGuess first_guess;  // empty: the home
};

class NodeCore {
 public:
  // REQUIRES: all arguments outlive this.
  NodeCore(const NodeCoreOptions& options, Tables& tables, FrameSink& sink, TicketEvents& events,
           Time now);

  // What a transport tells (net/transport.h).
  void on_up(NodeId peer, Incarnation incarnation, Time now);
  void on_frame(NodeId peer, const FramePtr& frame, Time now);
  void on_room(NodeId peer);
  void on_down(NodeId peer, const Error& why, Time now);
  // To be called at next_timer() or later.
  void on_timer(Time now);
  Time next_timer() const;

  // Opens a table, enters a barrier, says goodbye: the ticket is done when all nodes agree. The
  // farewell's ticket is done when every other node has said goodbye too, or is lost.
  void open_table(TicketId ticket, const TableSpec& spec);
  void enter_barrier(TicketId ticket);
  void say_bye(TicketId ticket);
  // Sends the requests of a ticket (router().write_pulls() and the like).
  void send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
            std::vector<OutgoingRequest> requests);

  // Why the job cannot go on, once it cannot: a node is lost.
  const std::optional<Error>& failure() const { return failure_; }
  // "pull of 12 keys, waiting for node 2, last heard 6.3 s ago".
  std::string describe(TicketId ticket, Time now) const;

  NodeId self() const { return options_.self; }
  const Router& router() const { return router_; }
  Waits& waits() { return waits_; }
  SharedRows& shared() { return shared_; }
  const SharedRows& shared() const { return shared_; }
  const Links& links() const { return links_; }
  const Members& members() const { return members_; }
  const PartitionMap& map() const { return map_; }

 private:
  Result<> handle(NodeId peer, const PartView& part, const FramePtr& frame);
  Result<> handle_released();
  Result<> on_bye(NodeId peer, const Bye& bye);
  // A ticket that begins after the job has failed ends at once.
  bool refuse_if_failed(TicketId ticket, const char* verb);
  void lose(NodeId peer, const Error& why);
  void note_losses();
  void finish_farewell_if_alone();

  const NodeCoreOptions options_;
  const PartitionMap map_;
  Members members_;
  Waits waits_;
  Links links_;
  SharedRows shared_;
  Router router_;
  TableRegistry registry_;
  Barriers barriers_;
  Time next_beat_;
  std::optional<TicketId> farewell_;
  std::optional<Error> failure_;
};

}  // namespace godwit
