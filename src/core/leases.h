// core/leases.h: brings rows here that this node's threads will touch, keeps them while they do,
// and lets them go. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time_source.h"
#include "core/shared_rows.h"
#include "core/visits.h"
#include "core/waits.h"
#include "core/wanted_rows.h"
#include "placement/reuse_estimate.h"

namespace godwit {

// The rows of one lease. Belongs to who holds the lease; changed by the calls below.
struct LeaseRows {
  TableId table;
  TableRows* rows = nullptr;
  std::vector<Key> keys;  // in range
  bool is_write = true;
  // Held for long: rows are copied or moved rather than fetched for a visit, of which others would
  // hear at its end only.
  bool is_kept = false;
  bool is_acquired = false;

  RowScratch refs;                     // of each key; without a row where it is not here yet
  std::vector<std::uint32_t> missing;  // positions of those
};

class Leases {
 public:
  // REQUIRES: all arguments outlive this.
  Leases(WantedRows& wanted, SharedRows& shared, Visits& visits, Waits& waits);

  // The rows begin to come; from then until release() those that are here stay where they are.
  // send() must follow acquire() at once, and release() soon, so that several go together.
  void acquire(LeaseRows& lease);
  void release(LeaseRows& lease, Time now);
  // Asks for what was acquired and lets go what was released.
  void send(Time now);
  // Looks for what was missing. True: all is here.
  bool settle(LeaseRows& lease);
  // Begins `ticket`, which is done when all rows are here. REQUIRES: not settled.
  void wait(LeaseRows& lease, TicketId ticket, Time now);
  // This node's threads have written rows of the lease in place.
  void note_written(const LeaseRows& lease);

  // To be called after frames were handled.
  void collect(Time now);
  // Ends the visits that nobody needs any more. They are ended together, a little later: fewer
  // frames, and some are wanted again.
  void end_visits(Time now);
  bool is_quiet() const { return ending_.empty() && !unsent_since_; }
  // When send() should be called at the latest.
  Time deadline() const;

  // Keys of acquired leases that were not here then.
  std::uint64_t brought() const { return brought_; }
  // How long rows took to come, the last time it was seen, and how often it was.
  struct Action {
    Time begun;
    Duration took{};
    std::uint64_t noted = 0;
  };
  const Action& action() const { return action_; }

 private:
  static constexpr Duration kEndAfter = std::chrono::microseconds(100);
  static constexpr Duration kEndLatest = std::chrono::milliseconds(3);
  static constexpr std::size_t kEndTogether = 512;

  struct Waiting {
    LeaseRows* lease;
    TicketId ticket;
  };

  // Has a row that is not owned here brought, or kept if it is here.
  void bring(TableId table, WantedRow& row, bool is_here, bool is_kept);
  void keep_visit(TableId table, WantedRow& row);
  // Fetches a row that a lease wants and nobody has asked for.
  void visit_if_forgotten(RowId id);
  void send_fetches(Time now);
  void measure(Time now);
  void end_visits_if_due(Time now) {
    if (ending_.empty()) return;
    if (ending_.size() >= kEndTogether || now - ending_since_ >= kEndAfter) end_visits(now);
  }

  WantedRows& wanted_;
  SharedRows& shared_;
  Visits& visits_;
  Waits& waits_;
  ReuseEstimate reuse_;
  std::vector<RowId> fetches_;  // to be sent together
  std::vector<Key> fetch_keys_;
  std::vector<RowId> ending_;  // visits without users, or had none; may be wanted again
  Time ending_since_;
  std::optional<Time> unsent_since_;  // a release that no send() has followed so far
  std::vector<Key> ends_;
  RowScratch found_;
  std::vector<Waiting> waiting_;
  std::optional<RowId> probe_;  // a row that was asked for, to see how long it takes
  Time probe_begun_;
  std::optional<RowId> asked_;  // by the lease that is being acquired
  Action action_;
  std::uint64_t brought_ = 0;
};

}  // namespace godwit
