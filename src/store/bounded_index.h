// store/bounded_index.h: finds rows of a table with keys 0 .. rows-1: an array of anchors.
// find() is thread-safe; insert() and erase() want outside locking against each other.
#pragma once

#include <cstdint>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "store/memory_map.h"
#include "store/row_ref.h"
#include "store/slabs.h"

namespace godwit {

// Four bytes a key, in memory that is only there once a key nearby has a row. An anchor's tag is
// the row's slot + 1.
class BoundedIndex {
 public:
  static Result<BoundedIndex> make(std::uint64_t rows);

  void prefetch(Key key) const { __builtin_prefetch(anchors() + key, 1); }

  void prefetch_anchor(Key /*key*/, const Slabs& /*slabs*/) const {}  // prefetch() did

  // The row of `key`, or a RowRef without a row. REQUIRES: key < rows.
  RowRef find(Key key, const Slabs& slabs) const {
    Anchor& anchor = anchors()[key];
    const Anchor::Word word = anchor.peek();
    const Anchor::Word tag = word & Anchor::kTagMask;
    return {tag == 0 ? nullptr : slabs.row(tag - 1), &anchor, word, tag - 1};
  }

  // To be called before insert(); may fail, insert() may not.
  Result<> make_room(Key /*key*/) { return {}; }
  // Makes the row in `slot`, already filled, the row of `key`; `lock` is Anchor::kLocked if the
  // caller has it from the start, or 0. REQUIRES: it has none.
  void insert(Key key, Slot slot, const Slabs& /*slabs*/, Anchor::Word lock) {
    anchors()[key].publish((slot + 1) | lock);
  }

  // Takes the row away and returns its slot. REQUIRES: `ref` is locked by the caller; it is
  // unlocked by this.
  Slot erase(Key /*key*/, const RowRef& ref) {
    ref.anchor->unlock(0);
    return (ref.word & Anchor::kTagMask) - 1;
  }

  // fn(key) for each key below `rows` that has a row, in rising order. Wants the locking of
  // insert().
  template <class Fn>
  void for_each_key(std::uint64_t rows, Fn&& fn) const {
    for (Key key = 0; key < rows; ++key) {
      if ((anchors()[key].peek() & Anchor::kTagMask) != 0) fn(key);
    }
  }

  std::uint64_t bytes() const { return map_.bytes(); }

 private:
  explicit BoundedIndex(MemoryMap map) : map_(std::move(map)) {}
  Anchor* anchors() const { return reinterpret_cast<Anchor*>(map_.begin()); }

  MemoryMap map_;
};

}  // namespace godwit
