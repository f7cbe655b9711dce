// core/node_core.h: the node's state machine: what arrives goes in, what is to be sent comes out.
// Single-threaded: its owner calls one function at a time. Knows no socket, no thread, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/frame.h"
#include "base/time_source.h"
#include "core/barriers.h"
#include "core/clocks.h"
#include "core/flights.h"
#include "core/groups.h"
#include "core/leases.h"
#include "core/links.h"
#include "core/members.h"
#include "core/router.h"
#include "core/shared_rows.h"
#include "core/step_buffers.h"
#include "core/steps.h"
#include "core/table_registry.h"
#include "core/tick_buffers.h"
#include "core/tick_entries.h"
#include "core/tick_flush.h"
#include "core/visits.h"
#include "core/waits.h"
#include "core/wanted_rows.h"
#include "placement/partition_map.h"

namespace godwit {

struct NodeCoreOptions {
  NodeId self;
  std::int64_t nodes = 1;
  std::int64_t servers = 0;  // the first nodes, which own all rows; 0: all
  std::int64_t workers = 0;  // that are expected from tick 0 on
  // More than 0: nodes that are no servers may come back after they were lost, and do not hear of
  // each other; who says goodbye waits so long for them.
  Duration rejoin_within{};
  GroupPatience group_patience;                  // of the coordinator
  Duration wait_max = std::chrono::minutes(10);  // of those who wait for it
  Liveness liveness;
  Links::Options links;
  Router::FirstGuess first_guess;                      // empty: the home
  bool rounds_by_timer = true;                         // false: only round() runs any
  Duration linger_min = std::chrono::milliseconds(5);  // of visits (core/leases.h)
};

enum class Flush : std::uint8_t {
  kNone,
  kChanges,  // all that was changed here goes to the owners
  kRefresh,  // and visits are exchanged for what is there
};

class NodeCore final : private TicketEvents {
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
  // Does what is due and may be done at any time, such as a round. True: note_round_end() should
  // be told when that was done.
  bool pass_by(Time now);

  // Opens a table, enters a barrier, says goodbye: the ticket is done when all nodes agree. The
  // farewell's ticket is done when every other node has said goodbye too, or is lost.
  void open_table(TicketId ticket, const TableSpec& spec);
  void enter_barrier(TicketId ticket);
  void say_bye(TicketId ticket);
  // Sends the requests of a ticket (router().write_pulls() and the like) for rows of a table.
  // REQUIRES: none of the rows must_wait(), or they are static and asked for at home.
  void send(TicketId ticket, Purpose purpose, TableId table, std::span<const Key> keys,
            std::uint32_t row_length, std::vector<OutgoingRequest> requests);
  // A row that is not here and must not be asked for just now: a change of this node is on its way
  // to the owner, or the row is on its way here.
  bool must_wait(RowId id) const {
    return wanted_.is_in_between(id) || shared_.must_wait(id) || visits_.is_out(id);
  }
  // From the first to the last of a flush's rounds, so that nothing else is exchanged in between.
  void begin_flush() { ++flushing_; }
  void end_flush() { --flushing_; }
  // The ticket is done when all changes that this node has sent so far are applied.
  void flush(TicketId ticket);
  // One round of the row protocol: sends what has changed since the last. False, of a flush: of
  // some rows an older change was on its way, and a newer one goes with the next round.
  bool round(Time now, Flush flush = Flush::kNone);
  // Rows of which there are copies were changed: a round is due.
  void note_touched() { is_touched_ = true; }
  // A round that on_timer() may have run took until `now`: the next ones leave time for other
  // things.
  void note_round_end(Time now);
  // False: no row must_wait().
  bool may_have_to_wait() const { return wanted_.size() > 0 || shared_.has_entries(); }
  // Overwrites the values of a copy, while its owner is asked to do so.
  void overwrite_copy(RowId id, std::span<const float> values, bool reset_state) {
    shared_.overwrite_copy(id, values, reset_state);
    visits_.overwrite(id, values, reset_state);
  }
  // What a worker has changed in a bsp table in its present tick, before it ends that.
  void send_changes(WorkerId worker, Tick tick, TableId table, const TickLog& log) {
    entries_.send(worker, tick, table, log);
  }
  // They could not be sent: from now on nobody hears that this node's ticks have ended.
  void lose_changes(const Error& why) { entries_.lose(why); }
  // A worker of this node has ended its ticks before `to`, or ends altogether.
  void advance(WorkerId worker, Tick to, Time now);
  void end_worker(WorkerId worker, Time now);
  // The ticket is done when the worker may begin (core/clocks.h), or when `need` is stable.
  void begin_worker(TicketId ticket, WorkerId worker, Time now);
  void wait_until_stable(TicketId ticket, Tick need);
  // Steps (core/steps.h). The ticket is done when there is a step for the worker, or no more.
  void begin_steps(const StepOptions& options, std::span<const std::uint32_t> workers, Time now);
  void stop_steps(Time now);
  void await_step(TicketId ticket, WorkerId worker) {
    if (!refuse_if_failed(ticket, "begin of a step")) steps_.member().await(ticket, worker);
  }
  void send_step(const StepResult& result, std::span<const TableSums> sums, Time now);
  // Groups (core/groups.h).
  void join_group(TicketId ticket, const GroupPlace& place, Time now) {
    if (!refuse_if_failed(ticket, "joining of a group")) groups_.join(ticket, place, now);
  }
  void exchange(TicketId ticket, Purpose purpose, std::vector<OutgoingRequest> requests,
                const std::optional<RoundPart>& part, Time now) {
    if (refuse_if_failed(ticket, purpose.verb)) return;
    groups_.exchange(ticket, purpose, std::move(requests), part, now);
  }
  // Whether this life of a peer may connect: not if it is over.
  bool may_connect(NodeId peer, Incarnation incarnation) const {
    return options_.rejoin_within <= Duration::zero() || !members_.has_ended(peer, incarnation);
  }
  // Nothing about rows is on its way or waits to be sent.
  bool is_quiet() const {
    return shared_.is_quiet() && visits_.is_quiet() && leases_.is_quiet() && entries_.is_quiet() &&
           steps_.member().is_quiet();
  }

  // Why the job cannot go on, once it cannot: a node is lost.
  const std::optional<Error>& failure() const { return failure_; }
  // Why changes of this node's workers, or to this node's rows, are lost, if some are.
  const std::optional<Error>& loss() const;
  // "pull of 12 keys, waiting for node 2, last heard 6.3 s ago".
  std::string describe(TicketId ticket, Time now) const;

  NodeId self() const { return options_.self; }
  const Router& router() const { return router_; }
  Waits& waits() { return waits_; }
  SharedRows& shared() { return shared_; }
  const SharedRows& shared() const { return shared_; }
  Leases& leases() { return leases_; }
  Clocks& clocks() { return clocks_; }
  const Clocks& clocks() const { return clocks_; }
  const WantedRows& wanted() const { return wanted_; }
  const TickBuffers& buffers() const { return buffers_; }
  const Visits& visits() const { return visits_; }
  const Links& links() const { return links_; }
  const Members& members() const { return members_; }
  const Barriers& barriers() const { return barriers_; }
  Steps& steps() { return steps_; }
  const Steps& steps() const { return steps_; }
  Groups& groups() { return groups_; }
  const Groups& groups() const { return groups_; }
  const PartitionMap& map() const { return map_; }

 private:
  void on_done(TicketId ticket) override;
  Result<> handle(NodeId peer, const PartView& part, const FramePtr& frame, Time now);
  Result<> handle_pull(const Pull& pull);
  Result<> handle_released(Time now);
  void release_parked(Time now);
  Result<> on_bye(NodeId peer, const Bye& bye, Time now);
  // A ticket that begins after the job has failed ends at once.
  bool refuse_if_failed(TicketId ticket, const char* verb);
  void lose(NodeId peer, const Error& why, Time now);
  bool may_lose(NodeId peer) const;
  void spare_at_barriers(NodeId peer);
  void note_step_failure();
  void do_without(NodeId peer, Time now);
  Result<> check_fit(const TableSpec& spec) const;
  bool may_come_back(NodeId peer) const;
  // Where nodes come back, what they say counts only on a connection that was told to be up.
  bool may_hear(NodeId peer) const {
    return options_.rejoin_within <= Duration::zero() || members_.is_up(peer);
  }
  void begin_life(NodeId peer, Time now);
  // It will not be heard again, and need not be.
  bool is_gone(NodeId peer, Time now) const;
  void end_flushes();
  // Sends what workers have changed in ticks that they have ended, and says so once it has arrived.
  void flush_ticks(Time now);
  bool is_round_due() const;
  Time settle_from() const;
  void note_losses(Time now);
  void finish_farewell_if_alone(Time now);
  Time farewell_deadline() const;
  std::string describe_silent(Time now) const;

  const NodeCoreOptions options_;
  const PartitionMap map_;
  const Tables& tables_;
  Members members_;
  TicketEvents& events_;
  Waits waits_;
  Links links_;
  TickBuffers buffers_;
  StepBuffers step_buffers_;
  Clocks clocks_;
  WantedRows wanted_;
  Flights flights_;
  SharedRows shared_;
  Router router_;
  Visits visits_;
  TickEntries entries_;
  Leases leases_;
  TickFlush tick_flush_;
  TableRegistry registry_;
  Barriers barriers_;
  Steps steps_;
  Groups groups_;
  Time next_beat_;
  bool is_touched_ = false;
  std::optional<Time> round_begun_;  // by on_timer(), until it is said to have ended
  Time next_round_;
  std::optional<Time> settling_begun_;  // likewise
  Time next_settling_;
  int flushing_ = 0;
  struct FlushUnderWay {
    TicketId ticket;
    std::uint64_t item;  // the last one it waits for
    TicketId visit;      // likewise
  };
  std::vector<FlushUnderWay> flushes_;
  std::optional<TicketId> farewell_;
  std::optional<Error> failure_;
};

}  // namespace godwit
