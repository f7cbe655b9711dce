// core/shared_rows.h: rows that are wanted by other nodes than their home: found, copied, moved,
// and kept equal. Owned by the node's state machine.
//
// The rules are those of the design's row protocol for asynchronous tables, with two
// simplifications that the model bears (docs/adr/0007): a transfer always carries the row, and a
// copy that is no longer wanted goes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/prng.h"
#include "core/links.h"
#include "core/outbound.h"
#include "core/row_entry.h"
#include "core/tables.h"
#include "placement/partition_map.h"

namespace godwit {

class SharedRows {
 public:
  // REQUIRES: all arguments outlive this.
  SharedRows(NodeId self, const PartitionMap& map, Tables& tables, Links& links);

  bool owns(RowId id) const;
  // Whether this node's threads read and change the row in its memory.
  bool is_here(RowId id) const;
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
  // Keeps a request for a row that is on its way here: `request` is a frame of one part.
  void park(RowId id, std::shared_ptr<Frame> request);
  // Parked requests whose row has come, to be handled like new ones.
  std::vector<std::shared_ptr<Frame>> take_released();

  // This node's threads want the row, or no longer.
  void want(RowId id, bool on);

  // Before the owner answers `origin` or tells it that its change is applied: what it keeps of
  // these rows must not be older than that.
  void bring_up_to_date(NodeId origin, TableId table, std::span<const Key> keys);
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

  // Sends the changes since the last round: items to owners, refreshes to who has copies.
  void round();
  // Sends what has been said so far, to all or before something else is sent to one. To be called
  // after each of the calls above.
  void flush() { outbound_.flush(); }
  void flush(NodeId peer) { outbound_.flush(peer); }

  // For the checks of tests and the simulator.
  const RowEntry* find(RowId id) const;
  // Nothing is on its way or waits to be sent.
  bool is_quiet() const;
  // Moves a row that this node owns to another one, for no reason.
  void move_anyway(RowId id, NodeId to);

 private:
  struct Hash {
    std::size_t operator()(const RowId& id) const {
      return mix64(static_cast<std::uint64_t>(id.table.value()), id.key);
    }
  };

  NodeId home(RowId id) const { return map_.home(id.table, id.key); }
  RowEntry* find_entry(RowId id);
  TableRows& rows(TableId table) const;
  // The entry with `owned`. REQUIRES: owns(id).
  OwnedRow& owned(RowId id);
  // Drops an entry that says nothing.
  void tidy(RowId id);
  void make_due(RowId id, RowEntry& entry);
  void share_if_copied(RowId id, const OwnedRow& row, HeldRow& held);

  // Of the owner (shared_rows_owner.cc).
  Result<> handle_item(RowId id, const ItemRecord& item, std::span<const float> delta);
  Result<> apply_item(RowId id, const ItemRecord& item, std::span<const float> delta);
  void set_sharer_wants(RowId id, NodeId node, bool wants);
  void after_off(RowId id);
  void mark_dirty(RowId id, OwnedRow& row, NodeId but);
  void refresh(RowId id, OwnedRow& row, Sharer& sharer);
  void transfer(RowId id, NodeId to);
  Result<> take_over(NodeId from, RowId id, const TransferRecord& record,
                     std::span<const SharerRecord> sharers, std::span<const float> floats);

  Result<> merge_into(RowId id, const RowEntry& entry, std::span<const float> floats,
                      OwnedRow& row);

  // Of who has copies (shared_rows_copy.cc).
  void make_item(RowId id);
  void acknowledged(RowId id, std::uint64_t sequence, std::uint32_t moves);
  void take_refresh(RowId id, const RefreshRecord& record, std::span<const float> row);

  const NodeId self_;
  const PartitionMap& map_;
  Tables& tables_;
  Outbound outbound_;
  std::unordered_map<RowId, RowEntry, Hash> entries_;
  std::uint64_t sequence_ = 0;  // of the last item of this node
  std::vector<RowId> due_;      // may have an item to send
  std::vector<RowId> dirty_;    // owned, with copies that lack something
  std::vector<std::shared_ptr<Frame>> released_;
};

}  // namespace godwit
