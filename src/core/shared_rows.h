// core/shared_rows.h: rows that are wanted by other nodes than their home: found, copied, moved,
// and kept equal. Owned by the node's state machine.
//
// The rules are those of the design's row protocol for asynchronous tables, with two
// simplifications that the model bears (docs/adr/0007): a transfer carries all of the row, and a
// copy that is no longer wanted goes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/links.h"
#include "core/move_log.h"
#include "core/outbound.h"
#include "core/outstanding.h"
#include "core/row_entries.h"
#include "core/tables.h"
#include "core/tick_buffers.h"
#include "core/wanted_rows.h"
#include "placement/partition_map.h"
#include "placement/use_balance.h"

namespace godwit {

class SharedRows {
 public:
  // REQUIRES: all arguments outlive this.
  SharedRows(NodeId self, const PartitionMap& map, Tables& tables, WantedRows& wanted,
             const TickBuffers& buffers, Links& links);

  NodeId self() const { return self_; }
  bool owns(RowId id) const;
  // Whether this node's threads read and change the row in its memory.
  bool is_here(RowId id) const;
  bool is_resident(RowId id) const { return rows(id.table).is_there(id.key); }
  TableRows& rows(TableId table) const;
  // Whether a lease of this node wants the row, whether it has it or misses it.
  bool is_used_here(RowId id) const;
  // A change of this node is on its way to the owner, and there is no copy that has it: who reads
  // the row elsewhere now may miss it.
  bool must_wait(RowId id) const;

  // Where a request goes next.
  struct Hop {
    enum class Kind : std::uint8_t { kHere, kNode, kPark };
    Kind kind = Kind::kHere;
    NodeId node;
    // What the request says from then on: the home sends it, which knows of so many moves.
    bool via_home = false;
    std::uint32_t claim = 0;
  };
  Hop next_hop(RowId id, bool via_home, std::uint32_t claim) const;
  // To be called some time before, for many rows.
  void prefetch(RowId id) const { entries_.prefetch(id); }
  // Keeps a request for a row that is on its way here: `request` is a frame of one part.
  void park(RowId id, std::shared_ptr<Frame> request);
  // Parked requests whose row has come, to be handled like new ones.
  std::vector<std::shared_ptr<Frame>> take_released();

  const TableSpec& spec(TableId table) const { return rows(table).spec(); }

  // This node's threads want the row, or no longer: `wanted` says so already.
  void want(RowId id, bool on);
  // What this node has to do with a row: it owns it; or something is known, or on its way, about
  // it.
  enum class Tie : std::uint8_t { kNone, kEngaged, kOwner };
  Tie tie(RowId id) const;
  // This node's threads have changed the row in place.
  void on_written(RowId id);

  // Before the owner answers `origin` or tells it that its change is applied: what it keeps of
  // these rows must not be older than that.
  void bring_up_to_date(NodeId origin, TableId table, std::span<const Key> keys);
  // A node fetches or exchanges rows that are owned here. Some that nobody else wants just now go
  // to it: what comes back is the positions of the others. REQUIRES: it has nothing else under way
  // for them but this request, which is answered after this.
  Missed give_away(NodeId user, TableId table, std::span<const Key> keys);
  // This node's threads use so many rows.
  void note_used(std::size_t rows) { used_ += static_cast<std::int64_t>(rows); }
  // The owner changed rows for `origin`.
  void on_changed(TableId table, std::span<const Key> keys);
  // False: none of the above has anything to do.
  bool has_entries() const { return !entries_.empty(); }

  // What other nodes say. kCorruption if they cannot have meant it.
  Result<> on_items(const RowItems& items);
  Result<> on_acks(const RowAcks& acks);
  Result<> on_refreshes(const RowRefreshes& refreshes);
  Result<> on_transfers(NodeId peer, const RowTransfers& transfers);
  Result<> on_places(NodeId peer, const RowPlaces& places);

  // Sends the changes since the last round: items to owners, refreshes to who has copies. A flush
  // also sends what codecs have lost so far.
  void round(bool is_flush = false);
  // While it is on, no row that is owned here gets another owner: whoever wants one gets a copy, or
  // is refused like who wants what others want too.
  void keep_in_place(bool on) { is_in_place_ = on; }
  // The number of this node's last item, and whether all up to a number are applied.
  std::uint64_t last_item() const { return items_.last(); }
  bool are_applied(std::uint64_t item) const { return items_.has_ended(item); }
  // A change of the row is on its way to its owner.
  bool is_item_out(RowId id) const {
    const RowEntry* const entry = find(id);
    return entry != nullptr && entry->sent.has_value();
  }
  // Overwrites the values of a copy, while the owner is asked to do so.
  void overwrite_copy(RowId id, std::span<const float> values, bool reset_state);
  // There may be something for a round to send.
  bool is_round_due() const { return !due_.empty() || !dirty_.empty(); }
  // Rows that the owner neither gives nor copies, since others want them.
  std::vector<RowId> take_refused() { return std::exchange(refused_, {}); }
  // Tells owners which rows are wanted, or no longer. To be called after want().
  void tell_wants();
  // Sends what has been said so far, to all or before something else is sent to one. To be called
  // after each of the calls above.
  void flush() { outbound_.flush(); }
  void flush(NodeId peer) { outbound_.flush(peer); }

  // The time of what happens from now on, and the last changes of owners of rows whose home this
  // is.
  void note_time(Time now) {
    now_ = now;
    moves_.note_time(now);
  }
  const MoveLog& moves() const { return moves_; }

  struct Counts {
    std::uint64_t moved_in = 0;  // rows
    std::uint64_t moved_out = 0;
    std::uint64_t items = 0;  // sent, of this node
    std::uint64_t refreshes = 0;
  };
  const Counts& counts() const { return counts_; }
  // Copies of other nodes' rows. Takes time.
  std::uint64_t copies() const;

  // For the checks of tests and the simulator.
  const RowEntry* find(RowId id) const;
  // Nothing is on its way or waits to be sent.
  bool is_quiet() const;
  // Moves a row that this node owns to another one that wants it, for no reason.
  void move_anyway(RowId id, NodeId to);

 private:
  NodeId home(RowId id) const { return map_.home(id.table, id.key); }
  RowEntry* find_entry(RowId id);
  // The entry with `owned`. REQUIRES: owns(id).
  OwnedRow& owned(RowId id);
  RowCodec row_codec(TableId table, Codec codec) const;
  // The row that coded words stand for; valid until the next call.
  std::span<const float> decoded(const RowCodec& codec, std::span<const float> words);
  // Drops an entry that says nothing.
  void tidy(RowId id);
  void make_due(RowId id, RowEntry& entry);
  // REQUIRES: this is the row's home.
  void set_directory(RowId id, RowEntry& entry, const Location& place);
  void share_if_wanted(RowId id, const OwnedRow& row, HeldRow& held);

  // Of the owner (shared_rows_owner.cc).
  // `words` is the delta, coded.
  Result<> handle_item(RowId id, const ItemRecord& item, const RowCodec& codec,
                       std::span<const float> words);
  Result<> apply_item(RowId id, const ItemRecord& item, std::span<const float> delta);
  // Whether others than `node` want the row.
  bool is_wanted_by_others(RowId id, NodeId node) const;
  // Whether `node`, which wants the row, gets it or a copy.
  bool is_granted(RowId id, NodeId node) const;
  void set_sharer_wants(RowId id, NodeId node, bool wants);
  void after_off(RowId id);
  void mark_dirty(RowId id, OwnedRow& row, NodeId but);
  void refresh(RowId id, OwnedRow& row, Sharer& sharer);
  void transfer(RowId id, NodeId to);
  Result<> take_over(NodeId from, RowId id, const TransferRecord& record,
                     std::span<const SharerRecord> sharers, std::span<const float> floats);

  void look_how_busy(std::size_t asked);
  // The row comes to stay: a visit of it is one no longer.
  void end_visit(RowId id, RowEntry& entry);
  Result<> merge_into(RowId id, const RowEntry& entry, std::span<const float> floats,
                      OwnedRow& row);

  // Of who has copies (shared_rows_copy.cc).
  void make_item(RowId id);
  // Takes the change of a copy since its last item out of it, for an item; empty if there is none.
  // Leaves what the codec loses for the next.
  std::vector<float> take_delta(RowCopy& copy, std::span<const float> row, RowCodec& codec);
  void acknowledged(RowId id, const AckRecord& ack);
  void take_refresh(RowId id, const RefreshRecord& record, std::span<const float> row);

  const NodeId self_;
  const PartitionMap& map_;
  Tables& tables_;
  WantedRows& wanted_;
  const TickBuffers& buffers_;
  Outbound outbound_;
  RowEntries entries_;
  Outstanding items_;        // of this node
  std::vector<RowId> news_;  // wanted, or no longer
  std::vector<RowId> refused_;
  std::vector<RowId> due_;    // may have an item to send in the next round
  std::vector<RowId> dirty_;  // owned, with copies that lack something
  std::vector<std::shared_ptr<Frame>> released_;
  Counts counts_;
  std::vector<float> decoded_;
  std::vector<float> coded_;
  bool is_flush_ = false;  // what codecs have lost goes too
  bool is_in_place_ = false;
  // Of any row, ever: where there are no copies nothing need be looked up.
  bool has_given_copies_ = false;
  MoveLog moves_;
  UseBalance balance_;
  Time now_;
  Time looked_;             // how many rows are used here, and asked for by other nodes
  std::int64_t used_ = 0;   // since then
  std::int64_t asked_ = 0;  // likewise
  bool is_busy_ = true;     // until it is known
};

}  // namespace godwit
