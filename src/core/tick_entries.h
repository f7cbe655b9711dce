// core/tick_entries.h: brings what workers of this node have changed in bsp tables to the owners of
// the rows. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/flights.h"
#include "core/router.h"
#include "core/shared_rows.h"
#include "core/split.h"
#include "core/tick_buffers.h"
#include "core/tick_log.h"
#include "core/visits.h"
#include "core/waits.h"

namespace godwit {

class TickEntries {
 public:
  // REQUIRES: all arguments outlive this.
  TickEntries(NodeId self, std::int64_t nodes, WantedRows& wanted, const SharedRows& shared,
              Visits& visits, Router& router, Waits& waits, Flights& flights, TickBuffers& buffers);

  // Sends a worker's changes of a tick, or keeps them if the rows are here. They are under way
  // (Flights) until the owners have them. REQUIRES: the log is settled; the tick has not ended.
  void send(WorkerId worker, Tick tick, TableId table, const TickLog& log);

  // Changes of a worker that ends could not be sent.
  void lose(const Error& why) {
    if (!failure_) failure_ = why;
  }

  // A ticket is done: true if it is one of these.
  bool on_done(TicketId ticket);
  // Handles what has come.
  void collect();
  bool is_quiet() const { return under_way_.empty(); }
  // Why changes did not arrive, if some did not.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  // How many numbers of its order it took.
  std::uint32_t send_run(const TickMark& mark, TableId table, PushMode mode,
                         std::span<const Key> keys, std::span<const float> floats);
  NodeId owner(RowId id);

  const NodeId self_;
  const std::int64_t nodes_;
  WantedRows& wanted_;
  const SharedRows& shared_;
  Visits& visits_;
  Router& router_;
  Waits& waits_;
  Flights& flights_;
  TickBuffers& buffers_;
  KeySplit split_;
  std::set<TicketId> under_way_;
  std::vector<TicketId> done_;
  std::optional<Error> failure_;
};

}  // namespace godwit
