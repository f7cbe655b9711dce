// core/tick_buffers.h: changes of bsp tables to rows of this node, kept until their tick is closed:
// then they are applied in an order that depends on nothing but who made them. Owned by the node's
// state machine.
//
// A row of which changes are kept does not move: so whoever has the row has all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ticks.h"
#include "core/tables.h"
#include "placement/row_id.h"
#include "wire/row_messages.h"

namespace godwit {

class TickBuffers {
 public:
  // REQUIRES: the tables outlive this.
  explicit TickBuffers(Tables& tables) : tables_(tables) {}

  // What a worker of `node` has changed. kInvalidArgument if the rows cannot be changed like that,
  // kCorruption if the tick is closed.
  Result<> add(NodeId node, const TickMark& mark, TableId table, PushMode mode,
               std::span<const Key> keys, std::span<const float> floats);
  // Whether there are changes of this row.
  bool holds(RowId id) const { return !rows_.empty() && rows_.contains(id); }
  bool is_empty() const { return ticks_.empty(); }

  // Applies the changes of ticks up to `last`, one tick after the other, each in the order of
  // nodes, their workers, and what these did first.
  void close(Tick last) {
    close(last, [](NodeId, WorkerId) { return true; });
  }
  // The same, for the changes of those workers of which is_chosen(node, worker); those of the
  // others are dropped.
  template <class IsChosen>
  void close(Tick last, IsChosen&& is_chosen) {
    while (!ticks_.empty() && ticks_.begin()->first <= last) {
      std::erase_if(ticks_.begin()->second, [&](const Change& change) {
        if (is_chosen(change.node, change.mark.worker)) return false;
        forget(change);
        return true;
      });
      close_first();
    }
    closed_ = std::max(closed_, last);
  }

  // Why changes could not be applied, if some could not.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Change {
    NodeId node;
    TickMark mark;
    TableId table;
    PushMode mode = PushMode::kPush;
    std::vector<Key> keys;
    std::vector<float> floats;
  };

  void close_first();
  // Its rows may move again.
  void forget(const Change& change);

  Tables& tables_;
  Tick closed_ = kNoTick;
  std::map<Tick, std::vector<Change>> ticks_;
  std::unordered_map<RowId, std::uint32_t, RowId::Hash> rows_;  // how many changes of each
  RowScratch scratch_;
  std::optional<Error> failure_;
};

}  // namespace godwit
