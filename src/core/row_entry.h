// core/row_entry.h: what a node knows of a row beside its floats. Only rows that are shared, have
// moved or are wanted have an entry. Owned by the node's state machine.
//
// A row is owned by its home until it moves. Words: a *sharer* is another node that wants the row,
// has a copy of it or has changed it; an *item* is a change of a row by a node that does not own
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "godwit/ids.h"
#include "placement/row_id.h"
#include "wire/move_messages.h"

namespace godwit {

struct Location {
  NodeId owner;
  std::uint32_t moves = 0;  // how often the row had moved when it came there
};

struct Sharer {
  NodeId node;
  bool wants = false;
  bool has_copy = false;
  bool is_dirty = false;   // its copy lacks something
  std::uint64_t seen = 0;  // the last item of it that is in the row
};

struct OwnedRow {
  std::uint64_t version = 0;
  std::uint32_t moves = 0;
  std::vector<Sharer> sharers;

  bool is_wanted_by(NodeId node) const {
    for (const Sharer& sharer : sharers) {
      if (sharer.node == node) return sharer.wants;
    }
    return false;
  }
  Sharer* find(NodeId node) {
    for (Sharer& sharer : sharers) {
      if (sharer.node == node) return &sharer;
    }
    return nullptr;
  }
  Sharer& of(NodeId node) {
    if (Sharer* found = find(node)) return *found;
    return sharers.emplace_back(Sharer{.node = node});
  }
};

struct RowCopy {
  std::uint64_t version = 0;
  std::uint32_t moves = 0;
  std::vector<float> base;  // the row without the changes of this node that no item carries yet
};

struct SentItem {
  std::uint64_t sequence = 0;
  std::vector<float> delta;  // may be empty
};

struct RowEntry {
  // Here it is, as the main copy or as a copy; at most one of them.
  std::optional<OwnedRow> owned;
  std::optional<RowCopy> copy;

  // Of a row that is not owned here.
  bool wants = false;             // this node's threads do
  bool told = false;              // what the owner was told last
  std::uint64_t on_sequence = 0;  // of the item that told `on`
  bool is_due = false;            // in the list of rows that may have something to send
  std::optional<SentItem> sent;   // not acknowledged yet

  std::optional<Location> forward;    // where it went from here, until its home knows
  std::optional<Location> directory;  // at its home, once it has moved
  // Requests that came before the row did.
  std::vector<std::shared_ptr<Frame>> parked;

  bool is_idle() const {
    return !owned && !copy && !wants && !told && !is_due && !sent && !forward && !directory &&
           parked.empty();
  }
};

}  // namespace godwit
