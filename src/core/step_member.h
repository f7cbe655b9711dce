// core/step_member.h: a node's part in steps: hands what is to be computed to its workers, brings
// their sums to the owners of the rows, and tells the leader once these have them. Owned by the
// node's state machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/frame.h"
#include "core/router.h"
#include "core/step_buffers.h"
#include "core/waits.h"
#include "godwit/steps.h"
#include "wire/step_messages.h"

namespace godwit {

// What a worker has added up, of one table.
struct TableSums {
  TableId table;
  std::span<const Key> keys;
  std::span<const float> floats;
};

// What a worker gets: a step with shares, or that there are no more.
struct StepOrder {
  std::uint64_t step = 0;
  bool is_last = false;
  std::vector<SampleShare> shares;
};

class StepMember {
 public:
  // What is told to the leader, wherever that is.
  using TellLeader = std::function<void(const StepResult& result)>;

  // REQUIRES: all arguments outlive this.
  StepMember(NodeId self, const PartitionMap& map, Router& router, Waits& waits,
             StepBuffers& buffers, TellLeader tell);

  // These workers of this node take part from now on.
  void begin(std::span<const std::uint32_t> workers);
  // From begin() until the last order has come.
  bool is_going_on() const { return is_going_on_; }
  // The ticket is done when there is something for the worker that it has not taken.
  void await(TicketId ticket, WorkerId worker);
  bool is_waiting(TicketId ticket) const;
  // kAborted: steps were begun anew since the ticket of await() was done. REQUIRES: it is.
  Result<StepOrder> take(WorkerId worker);

  // A worker has computed its share: its sums go to the owners, then the leader is told. Or it has
  // given up, without sums: it says so, and that they would have been on their way as long as its
  // last ones were; else who is cut short would seem to be nearer.
  void send(StepResult result, std::span<const TableSums> sums, Time now);

  // A ticket is done: true if it is one of these.
  bool on_done(TicketId ticket);
  // Handles what has come.
  void collect(Time now);
  bool is_quiet() const { return under_way_.empty(); }
  // Why sums did not arrive, if some did not.
  const std::optional<Error>& failure() const { return failure_; }

  // REQUIRES: the buffers have begun that step.
  Result<> on_begins(const StepBegins& begins);

  // Steps below this are over. Any thread may read it.
  const std::shared_ptr<std::atomic<std::uint64_t>>& over_below() const { return over_below_; }

 private:
  struct Place {
    StepOrder order;
    std::uint64_t taken = 0;  // the last step it took; the last order has its own
    std::optional<TicketId> waiting;
    Duration way{};  // of its last sums to the owners, and of the word that they have come
  };
  struct UnderWay {
    StepResult result;
    std::set<TicketId> tickets;  // that it waits for
    Time sent;
  };

  void let_go(Place& place);
  // Nothing more comes of steps: who waits for one is told why.
  void fail(const Error& error);
  // Keeps the sums of rows that are here and sends the others; a ticket for those, if there are
  // any.
  std::optional<TicketId> send_table(const TickMark& mark, const TableSums& sums);
  static bool has_news(const Place& place) { return place.order.step > place.taken; }

  const NodeId self_;
  const PartitionMap& map_;
  Router& router_;
  Waits& waits_;
  StepBuffers& buffers_;
  const TellLeader tell_;
  bool is_going_on_ = false;
  std::map<std::uint32_t, Place> places_;  // by worker
  std::shared_ptr<std::atomic<std::uint64_t>> over_below_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  KeySplit split_;
  std::vector<UnderWay> under_way_;
  std::vector<TicketId> done_;
  std::optional<Error> failure_;
};

}  // namespace godwit
