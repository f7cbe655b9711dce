// core/leases.h: brings rows here that this node's threads will touch, keeps them while they do,
// and lets them go. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/time_source.h"
#include "core/shared_rows.h"
#include "core/visits.h"
#include "core/waits.h"
#include "core/wanted_rows.h"
#include "placement/return_estimate.h"

namespace godwit {

// The rows of one lease. Belongs to who holds the lease; changed by the calls below.
struct LeaseRows {
  TableId table;
  TableRows* rows = nullptr;
  std::vector<Key> keys;  // in range
  bool is_write = true;
  // Held for long: others hear of what is done to its rows before it ends.
  bool is_kept = false;
  // Ends within a few ticks, so that it may be numbered (core/lease_window.h).
  bool is_short = false;
  bool is_acquired = false;
  // Of tables whose reads may not be older than some ticks: what rows must have in them. Their
  // leases are counted, and settled when that is so.
  std::optional<Tick> need;

  RowScratch refs;                     // of each key; without a row where it was not here so far
  std::vector<std::uint32_t> missing;  // positions of those
  std::vector<std::uint32_t> counted;  // positions of rows that are here and count this lease
  std::vector<std::uint32_t> stale;    // positions of rows that are here and too old
  Tick asked;                          // what was stable when they were last asked for
  bool is_awaited = false;             // somebody waits for its rows
  std::uint64_t number = 0;            // of a short one, while it is acquired
};

class Leases {
 public:
  // REQUIRES: all arguments outlive this.
  // `linger_min`: how long a visit stays at least that is expected to be wanted again.
  Leases(Duration linger_min, WantedRows& wanted, SharedRows& shared, Visits& visits, Waits& waits,
         const Clocks& clocks);

  // The rows begin to come; from then until release() those that are here stay where they are.
  // send() must follow acquire() at once, and release() soon, so that several go together; unless
  // that says that there is nothing to be done.
  void acquire(LeaseRows& lease, Time now);
  bool release(LeaseRows& lease, Time now);
  // Asks for what was acquired and lets go what was released.
  void send(Time now);
  // Looks for what was missing. True: all is here.
  bool settle(LeaseRows& lease);
  // Begins `ticket`, which is done when all rows are here. REQUIRES: not settled.
  void wait(LeaseRows& lease, TicketId ticket, Time now);
  // This node's threads have written rows of the lease in place.
  void note_written(const LeaseRows& lease);
  // They have pushed to rows of a table whose reads are bounded.
  void note_pushed(TableId table, std::span<const Key> keys);
  // It is read in another tick from now on. False: it is not settled.
  bool set_need(LeaseRows& lease, Tick need, Time now);
  // Visits of bounded tables that were written since the last call, some of them repeatedly.
  std::vector<RowId> take_written() { return std::exchange(written_, {}); }

  // The lease whose rows a ticket waits for; null if there is none.
  const LeaseRows* awaited(TicketId ticket) const;
  // Whom rows of a lease with a need are expected from.
  std::set<NodeId> asked_for(const LeaseRows& lease) const;

  // To be called after frames were handled.
  void collect(Time now);
  // Rows that are wanted again and again stay, and are exchanged; those that were wanted once since
  // the last time go. Only the first of those whose time has come, so that it does not take long.
  void settle_visits(Time now);
  // When it should be called next; Time::max() if there are none. What is said here is when it is
  // worth while: the longer it takes, the more uses of a row share the cost of one exchange.
  Time settle_from() const {
    return lingering_.empty() ? Time::max() : lingering_.front().since + linger_min_;
  }
  // When it must be called, whatever it costs.
  Time settle_until() const {
    return lingering_.empty() ? Time::max() : lingering_.front().since + kLingerMax;
  }
  // Ends all visits that nobody needs any more. What was added in others goes to the owners, unless
  // an exchange of the row is under way; with `refreshes`, these rows come anew.
  void flush_visits(bool refreshes, Time now);
  bool is_quiet() const { return ending_.empty() && lingering_.empty() && !unsent_since_; }
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
  static constexpr Duration kLingerMax = std::chrono::seconds(1);
  static constexpr std::size_t kSettleTogether = 256;
  // One use in so many has the row exchanged before its time, as far as exchanges may take time at
  // all: what is used often goes to and fro often, and what is used seldom costs nothing by this.
  // With 128, and of large leases less, word vectors on four nodes were 15 % worse than on one.
  static constexpr std::size_t kHotEvery = 8;

  struct Lingering {
    RowId id;
    Time since;  // it was fetched, exchanged, or found to come back
  };
  struct Waiting {
    LeaseRows* lease;
    TicketId ticket;
  };

  // Of positions of a lease for which there is more to do than to leave its number.
  void take_counted(LeaseRows& lease, std::size_t i, Time now);
  void prefetch(const LeaseRows& lease, std::size_t i);
  void take_missing(LeaseRows& lease, std::size_t i, Time now);
  void give_back_missing(RowId id, Time now);
  void erase_if_idle(WantedRow& row, TableId table);
  // Of leases with a need (leases_bounded.cc).
  void acquire_bounded(LeaseRows& lease, Time now);
  // A row that is here has in it what is needed, if that is stable.
  bool is_fresh(RowId id, Tick need);
  void note_stale(LeaseRows& lease, std::uint32_t position);
  // Whether a row that was missing is here; the lease counts it then.
  bool settle_missing(LeaseRows& lease, std::uint32_t position);
  // Notes some of the rows that are used, evenly.
  void sample_hot(const LeaseRows& lease);
  bool is_any_refused(const LeaseRows& lease);
  // Asks for what is missing or too old, once what would come is not.
  void freshen(LeaseRows& lease, Time now);
  // Something is lacking that is not on its way. Looks at what settle() would look at next.
  bool must_freshen(const LeaseRows& lease);
  void freshen_all(Time now);
  // A lease does not use a row any more that is here.
  void let_go(RowId id, const RowRef& ref, Time now);
  // A row that is not owned here has its first user: has it brought, or kept if it is here.
  // REQUIRES: `row` is its record, unless it is here.
  void bring(RowId id, WantedRow* row, bool is_kept, Time now);
  // A visit is used again before it has ended.
  void note_reused(RowId id, RowUse& use, Time now);
  // Whether a visit was used since this was asked last.
  bool take_used(RowId id);
  // A visit to be ended now, or later.
  void end_or_linger(RowId id, WantedRow& row, Time now);
  void linger(RowId id, WantedRow& row, Time now);
  void end_visits(Time now);
  // Gives back the rows of `ends_`, exchanges those of `exchanges_`.
  void end(Time now);
  void exchange(Time now);
  // Fetches a row that a lease wants and nobody has asked for.
  void visit_if_forgotten(RowId id);
  void send_fetches(Time now);
  void measure(Time now);
  void end_visits_if_due(Time now) {
    if (ending_.empty()) return;
    if (ending_.size() >= kEndTogether || now - ending_since_ >= kEndAfter) end_visits(now);
  }

  const Duration linger_min_;
  WantedRows& wanted_;
  SharedRows& shared_;
  Visits& visits_;
  Waits& waits_;
  const Clocks& clocks_;
  ReturnEstimate returns_;
  std::vector<RowId> fetches_;  // to be sent together
  // Visits that had no users and are not expected to have any soon. They are ended together, a
  // little later: fewer frames, and some are wanted again.
  std::vector<RowId> ending_;
  Time ending_since_;
  std::deque<Lingering> lingering_;   // visits that are expected to be wanted again
  std::vector<RowId> hot_;            // rows that were used: what is used often is here often
  std::size_t hot_in_ = 0;            // uses until the next one that is noted
  std::optional<Time> unsent_since_;  // a release that no send() has followed so far
  std::vector<RowId> ends_;
  std::vector<RowId> exchanges_;
  std::vector<Key> keys_;
  RowScratch found_;
  std::vector<Waiting> waiting_;
  std::vector<LeaseRows*> unsettled_;  // that have a need
  std::vector<RowId> written_;
  std::optional<RowId> probe_;  // a row that was asked for, to see how long it takes
  Time probe_begun_;
  std::optional<RowId> asked_;  // by the lease that is being acquired
  Action action_;
  std::uint64_t brought_ = 0;
};

}  // namespace godwit
