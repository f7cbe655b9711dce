// core/tick_flush.h: brings what this node's workers have changed in ticks that they have ended to
// the owners, and knows when it has arrived. Owned by the node's state machine.
//
// One at a time: what changes meanwhile goes with the next. Where ticks are shorter than a message
// takes, several ticks share one.
#pragma once

#include <optional>
#include <vector>

#include "base/time_source.h"
#include "core/flights.h"
#include "core/leases.h"
#include "core/visits.h"
#include "core/waits.h"
#include "core/wanted_rows.h"
#include "godwit/ids.h"

namespace godwit {

class TickFlush {
 public:
  // REQUIRES: all arguments outlive this.
  TickFlush(WantedRows& wanted, const SharedRows& shared, Visits& visits, Leases& leases,
            Waits& waits, const Flights& flights);

  bool is_under_way() const { return tick_.has_value(); }
  // REQUIRES: not under way; what was changed up to `tick` is known to the leases and flights.
  void begin(Tick tick, Time now);
  // The tick of one that has arrived, once. To be called after frames were handled.
  std::optional<Tick> take_done(Time now);

 private:
  // Those of rows_ of which no older change is out.
  void send(Time now);

  WantedRows& wanted_;
  const SharedRows& shared_;
  Visits& visits_;
  Leases& leases_;
  Waits& waits_;
  const Flights& flights_;
  std::optional<Tick> tick_;
  std::vector<RowId> rows_;        // not sent yet
  std::optional<TicketId> until_;  // once all are: what was sent has lower numbers
  std::vector<Key> exchanged_;
  std::vector<Key> told_;
};

}  // namespace godwit
