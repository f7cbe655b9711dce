// core/visits.h: copies that owners do not know of: rows are fetched in batches, changed here, and
// given back as additions. What a row costs that is used once and not again: as much as a pull and
// a push, and nothing is remembered of it. A row that stays is exchanged now and again: what was
// added here goes to the owner, and the row as it is then comes back. Owned by the node's state
// machine.
//
// At most one exchange of a row is under way, and the visit does not end meanwhile: when an owner
// gives the row away instead of an answer, there is nothing else on its way that could miss it.
//
// While a visit comes or leaves, this node's other requests for the row wait (WantedRows::
// is_in_between), and it does not begin before those under way are done (Flights): so a node sees
// its own changes, and what it sees never goes back. Only rows of additive rules are changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/time_source.h"
#include "core/clocks.h"
#include "core/flights.h"
#include "core/float_blocks.h"
#include "core/router.h"
#include "core/shared_rows.h"
#include "core/split.h"
#include "core/tables.h"
#include "core/waits.h"
#include "core/wanted_rows.h"

namespace godwit {

// fn(keys) for a few keys at a time.
template <class Fn>
void for_each_part(std::span<const Key> keys, Fn&& fn) {
  constexpr std::size_t kTogether = 256;
  for (; !keys.empty(); keys = keys.subspan(std::min(kTogether, keys.size()))) {
    fn(keys.first(std::min(kTogether, keys.size())));
  }
}

class Visits {
 public:
  // REQUIRES: all arguments outlive this.
  Visits(std::int64_t nodes, Tables& tables, WantedRows& wanted, const SharedRows& shared,
         Router& router, Waits& waits, const Flights& flights, const Clocks& clocks);

  // Whether a visit of a wanted row may begin now; it has begun then, and fetch() must follow.
  // Otherwise it begins by itself, later.
  bool may_begin(RowId id, WantedRow& row);
  // Fetches rows. REQUIRES: may_begin() said so of each.
  void fetch(TableId table, std::span<const Key> keys, Time now);
  // Exchanges rows. REQUIRES: each is visiting, and not is_out().
  void exchange(TableId table, std::span<const Key> keys, Time now);
  // What was added to rows, of all that are not is_out(), goes to the owners; with `refreshes`, all
  // these rows are exchanged.
  void flush(bool refreshes, Time now);
  // What was added to rows goes to the owners. REQUIRES: each is visiting, and not is_out().
  void tell(TableId table, std::span<const Key> keys, Time now);
  // Gives rows back that nobody here wants any more. REQUIRES: each is visiting, and not is_out().
  void end(TableId table, std::span<const Key> keys, Time now);

  // A ticket is done: true if it is one of these; its rows come with the next collect().
  bool on_done(TicketId ticket);
  // Handles what has come, and fetches what waited.
  void collect(Time now);

  // The row is being exchanged, or what was added to it is on its way.
  bool is_out(RowId id) const { return out_.contains(id); }
  bool are_any_out() const { return !out_.empty(); }
  // What was stable when a row that is visiting was asked for last: all of that is in it.
  Tick stamp(TableId table, const WantedRow& row) { return blocks(table).note(row.base).stamp; }
  // Who answered for it last.
  NodeId owner(TableId table, const WantedRow& row) { return blocks(table).note(row.base).owner; }

  // Overwrites the values of a row that is visiting, while the owner is asked to do so.
  void overwrite(RowId id, std::span<const float> values, bool reset_state);
  // Whether what was fetched, exchanged and given back under tickets up to `last` has arrived.
  bool have_arrived(TicketId last) const;

  // Rows that have come and are expected to be wanted again.
  std::vector<RowId> take_returned() { return std::exchange(returned_, {}); }
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
    std::uint64_t exchanged = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  // A visit that tells gives what was added to it to the owner, and stays as it is.
  enum class Kind : std::uint8_t { kFetch, kExchange, kTell, kEnd };
  struct UnderWay {
    TableId table;
    Kind kind = Kind::kFetch;
    Time begun;
    Tick stable;  // then
    std::vector<Key> keys;
    std::vector<std::size_t> begins;  // in `keys`, of the requests that it is made of
  };

  FloatBlocks& blocks(TableId table);
  // The keys of a group of the split, and the ticket under which they travel.
  TicketId begin(TableId table, std::span<const Key> keys, const KeySplit::Group& group, Kind kind,
                 Time now);
  void send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
            std::vector<OutgoingRequest> requests);
  void split(TableId table, std::span<const Key> keys);
  // By who has answered for each of the keys last: owners_. If a row has moved since, it is sent
  // on.
  void split_by_owners(std::span<const Key> keys);
  // Asks for whole rows.
  void ask(TableId table, std::span<const Key> keys, Kind kind, Time now);
  // changed_ and deltas_: rows with something added to them, which are told from now on; the others
  // are put into unchanged_.
  void gather(TableId table, std::span<const Key> keys);
  // changed_ and deltas_ to the owners.
  void send_changes(TableId table, Kind kind, Time now);
  // fn(keys, answer) for each answer.
  template <class Fn>
  void for_answers(const UnderWay& visit, const Waits::Outcome& outcome, Fn&& fn);
  void install(const UnderWay& visit, std::span<const Key> keys, const Arrived& answer);
  void adopt(TableId table, std::span<const Key> keys, std::span<const float> floats,
             const BlockNote& note);
  void rebase(const UnderWay& visit, std::span<const Key> keys, const Arrived& answer);
  void fetch_delayed(Time now);
  void refuse(const UnderWay& fetch, const Error& why);
  void left(const UnderWay& visit);

  const std::int64_t nodes_;
  Tables& tables_;
  WantedRows& wanted_;
  const SharedRows& shared_;
  Router& router_;
  Waits& waits_;
  const Flights& flights_;
  const Clocks& clocks_;
  KeySplit split_;
  std::map<TicketId, UnderWay> under_way_;
  std::vector<TicketId> done_;
  std::unordered_set<RowId, RowId::Hash> out_;  // told or exchanged, under way
  std::vector<RowId> delayed_;
  std::vector<RowId> returned_;
  std::vector<RowId> again_;
  std::vector<Key> unchanged_;
  std::vector<NodeId> owners_of_unchanged_;
  std::vector<Key> changed_;
  std::vector<float> deltas_;
  std::vector<NodeId> owners_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> positions_;
  RowScratch scratch_;
  std::optional<Time> last_begun_;
  std::optional<Error> refusal_;
  std::optional<Error> failure_;
  Counts counts_;
};

}  // namespace godwit
