// core/visits.h: short-lived copies that owners do not know of: rows are fetched in batches,
// changed here, and given back as additions. What a row costs that is used once and not again: as
// much as a pull and a push, and nothing is remembered of it. Owned by the node's state machine.
//
// While a visit comes or leaves, this node's other requests for the row wait (WantedRows::
// is_in_between), and it does not begin before those under way are done (Flights): so a node sees
// its own changes, and what it sees never goes back. Only rows of additive rules are changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/time_source.h"
#include "core/flights.h"
#include "core/float_blocks.h"
#include "core/router.h"
#include "core/shared_rows.h"
#include "core/split.h"
#include "core/tables.h"
#include "core/waits.h"
#include "core/wanted_rows.h"

namespace godwit {

class Visits {
 public:
  // REQUIRES: all arguments outlive this.
  Visits(std::int64_t nodes, Tables& tables, WantedRows& wanted, const SharedRows& shared,
         Router& router, Waits& waits, const Flights& flights);

  // Whether a visit of a wanted row may begin now; it has begun then, and fetch() must follow.
  // Otherwise it begins by itself, later.
  bool may_begin(RowId id, WantedRow& row);
  // Fetches rows. REQUIRES: may_begin() said so of each.
  void fetch(TableId table, std::span<const Key> keys, Time now);
  // Gives rows back that nobody here wants any more. REQUIRES: each is visiting.
  void end(TableId table, std::span<const Key> keys, Time now);

  // A ticket is done: true if it is one of these; its rows come with the next collect().
  bool on_done(TicketId ticket);
  // Handles what has come, and fetches what waited.
  void collect(Time now);

  // The row as it came. REQUIRES: it is visiting.
  std::span<const float> base_of(TableId table, const WantedRow& row);
  // The row is no longer a visit: the row protocol knows of it.
  void forget(TableId table, WantedRow& row);
  // Sends what visits have gathered so far, and goes on with them.
  void give_back_so_far(Time now);
  // Such a change of the row is on its way.
  bool is_out(RowId id) const { return out_.contains(id); }

  // Overwrites the values of a row that is visiting, while the owner is asked to do so.
  void overwrite(RowId id, std::span<const float> values, bool reset_state);
  // Whether what was given back under tickets up to `last` has arrived.
  bool have_left(TicketId last) const;

  // Rows whose visit is over and that are wanted again: to be begun anew.
  std::vector<RowId> take_again() { return std::exchange(again_, {}); }
  // When the last fetch that has come was begun, once.
  std::optional<Time> take_last_begun() { return std::exchange(last_begun_, std::nullopt); }

  // Why rows could not be fetched, if some could not.
  const std::optional<Error>& refusal() const { return refusal_; }
  // Why changes of a visit are lost, if some are.
  const std::optional<Error>& failure() const { return failure_; }
  // Nothing is on its way. (What is gathered in visits is not seen by this.)
  bool is_quiet() const { return under_way_.empty() && delayed_.empty(); }

  struct Counts {
    std::uint64_t fetched = 0;
    std::uint64_t given_back = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct UnderWay {
    TableId table;
    bool is_fetch = true;
    bool is_end = true;  // of the visits, if it is no fetch
    Time begun;
    std::vector<Key> keys;
    std::vector<std::size_t> begins;  // in `keys`, of the requests that a fetch is made of
  };

  FloatBlocks& blocks(TableId table);
  // The keys of a group of the split, and the ticket under which they travel.
  TicketId begin(TableId table, std::span<const Key> keys, const Split::Group& group, bool is_fetch,
                 Time now);
  void split(TableId table, std::span<const Key> keys);
  void install(const UnderWay& fetch, const Waits::Outcome& outcome);
  void install_rows(TableId table, std::span<const Key> keys, std::span<const float> floats);
  void adopt(TableId table, std::span<const Key> keys, std::span<const float> floats);
  void fetch_delayed(Time now);
  void send_changes(TableId table, bool is_end, Time now);
  void refuse(const UnderWay& fetch, const Error& why);
  void left(const UnderWay& visit);

  const std::int64_t nodes_;
  Tables& tables_;
  WantedRows& wanted_;
  const SharedRows& shared_;
  Router& router_;
  Waits& waits_;
  const Flights& flights_;
  Split split_;
  std::map<TicketId, UnderWay> under_way_;
  std::vector<TicketId> done_;
  std::unordered_map<RowId, std::uint32_t, RowId::Hash> out_;  // how often, of give_back_so_far()
  std::vector<RowId> delayed_;
  std::vector<RowId> again_;
  std::vector<Key> changed_;
  std::vector<float> deltas_;
  RowScratch scratch_;
  std::map<TableId, FloatBlocks> blocks_;
  std::optional<Time> last_begun_;
  std::optional<Error> refusal_;
  std::optional<Error> failure_;
  Counts counts_;
};

}  // namespace godwit
