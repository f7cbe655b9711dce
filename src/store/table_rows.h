// store/table_rows.h: the rows of one table that are on this node: found, made, read, written.
// Thread-safe; `scratch` arguments belong to the calling thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table.h"
#include "godwit/table_spec.h"
#include "store/bounded_index.h"
#include "store/hash_index.h"
#include "store/hold_times.h"
#include "store/memory_budget.h"
#include "store/row_layout.h"
#include "store/row_ref.h"
#include "store/slabs.h"

namespace godwit {

// Memory for the lookups of one batch, kept between calls so that none allocates.
using RowScratch = std::vector<RowRef>;

// Positions in a batch.
using Missed = std::vector<std::uint32_t>;

// One row under its lock, for who copies and moves rows. Given back by the destructor.
class HeldRow {
 public:
  HeldRow(HeldRow&& other) noexcept : ref_(std::exchange(other.ref_, {})), floats_(other.floats_) {}
  HeldRow& operator=(HeldRow&&) = delete;
  HeldRow(const HeldRow&) = delete;
  HeldRow& operator=(const HeldRow&) = delete;
  ~HeldRow() {
    if (ref_.anchor != nullptr) ref_.anchor->unlock(ref_.word);
  }

  // Values, then state.
  std::span<float> floats() const { return {ref_.row, floats_}; }
  bool is_shared() const { return (ref_.word & Anchor::kShared) != 0; }

 private:
  friend class TableRows;
  HeldRow(const RowRef& locked, std::size_t floats) : ref_(locked), floats_(floats) {}

  RowRef ref_;
  std::size_t floats_;
};

class TableRows {
 public:
  // Checks the spec, counts the memory that `share` of the rows of a bounded table will take, then
  // makes the table empty. An unbounded table counts its memory as it grows.
  // REQUIRES: budget outlives the table; 0 < share <= 1.
  static Result<std::unique_ptr<TableRows>> make(const TableSpec& spec, MemoryBudget& budget,
                                                 double share = 1);
  TableRows(const TableRows&) = delete;
  TableRows& operator=(const TableRows&) = delete;
  ~TableRows();

  const TableSpec& spec() const { return spec_; }
  const RowLayout& layout() const { return layout_; }

  // Which floats of a row a call is about: its values, or all of it: values, then state.
  enum class Part : std::uint8_t { kValues, kWhole };

  // What the calls below check first, for those who split a batch before they call.
  Result<> check_pull(std::span<const Key> keys, std::size_t floats,
                      Part part = Part::kValues) const;
  Result<> check_change(std::span<const Key> keys, std::span<const float> floats) const;

  // The contracts are those of Worker (godwit/worker.h).
  Result<> pull(std::span<const Key> keys, std::span<float> values, RowScratch& scratch,
                Part part = Part::kValues);
  Result<> push(std::span<const Key> keys, std::span<const float> gradients, RowScratch& scratch);
  Result<> set(std::span<const Key> keys, std::span<const float> values, bool reset_state,
               RowScratch& scratch);
  // The same for the rows that are here; positions of the others are put into `missed`, in order.
  // REQUIRES of push_here(): check_change() was asked.
  Result<> pull_here(std::span<const Key> keys, std::span<float> values, RowScratch& scratch,
                     Missed& missed, Part part = Part::kValues);
  Result<> push_here(std::span<const Key> keys, std::span<const float> gradients,
                     RowScratch& scratch, Missed& missed);
  // Adds to whole rows.
  Result<> merge(std::span<const Key> keys, std::span<const float> deltas, RowScratch& scratch);

  // Looks up all keys, making rows that are not there; rows[i] is the row of keys[i] until it is
  // erased. kInvalidArgument for a key out of range, kOutOfMemory; rows made before stay made.
  Result<> resolve(std::span<const Key> keys, RowScratch& rows);
  // Looks them up without making any: rows[i] may have no row. REQUIRES: keys in range.
  void look_up(std::span<const Key> keys, RowScratch& rows) const;
  // Makes rows with these floats, values and state, one after the other. REQUIRES: keys in range;
  // none of them is there and nobody else makes one. kOutOfMemory: some are made.
  Result<> adopt(std::span<const Key> keys, std::span<const float> floats);

  // Takes the row's memory away; later it begins anew from its init. False if it had none.
  bool erase(Key key);

  TableStats stats() const;
  // Of all rows that are here, in rising order. Takes time.
  std::vector<Key> keys() const;

  // Holds the row of a key, which is made if there is none: nobody sees it before it is let go.
  // REQUIRES: the key is in range.
  Result<HeldRow> hold(Key key);
  // Nothing if there is no row.
  std::optional<HeldRow> hold_if_there(Key key);
  bool is_there(Key key) const { return find(key).row != nullptr; }
  void erase(Key key, HeldRow row);

  // Of a row that is here. Guarded by who calls, who keeps the row from leaving meanwhile.
  RowUse& use(const RowRef& row) { return slabs_.use(row.slot); }
  // Null if it is not here.
  RowUse* use(Key key) {
    const RowRef row = find(key);
    return row.row == nullptr ? nullptr : &use(row);
  }

  // Has the times measured for which the next two calls lock rows. REQUIRES: called before the
  // first of them; `times` outlives this.
  void measure_holds(HoldTimes& times) { hold_times_ = &times; }
  // Calls fn(position, floats) for each row under its lock. REQUIRES: keys in range; each is
  // there, and nobody takes it away.
  template <class Fn>
  void visit(std::span<const Key> keys, RowScratch& scratch, Fn&& fn) const;
  // The same, and takes the rows' memory away. REQUIRES: each is there once.
  template <class Fn>
  void take_out(std::span<const Key> keys, RowScratch& scratch, Fn&& fn);

  // A shared row is one of which there are copies on other nodes, or which is itself a copy. Keys
  // of shared rows that calls of this class changed are noted, possibly more than once.
  void set_shared(HeldRow& row, bool is_shared);
  bool has_shared() const { return shared_rows_.load(std::memory_order_relaxed) != 0; }
  // Those noted since the last call, in the order of their changes.
  std::vector<Key> take_touched();
  // True once after keys were noted.
  bool take_has_touched() {
    return has_touched_.load(std::memory_order_relaxed) &&
           has_touched_.exchange(false, std::memory_order_relaxed);
  }

 private:
  TableRows(const TableSpec& spec, const RowLayout& layout, MemoryBudget& budget,
            std::uint64_t counted_bytes, std::optional<BoundedIndex> bounded);

  Result<> check_keys(std::span<const Key> keys) const;
  Result<> check_floats(std::span<const Key> keys, std::size_t floats, std::size_t length) const;
  Result<> check_finite(std::span<const Key> keys, std::span<const float> numbers) const;
  // Of rows all of which are values, in the same places.
  RowLayout layout_of(Part part) const;

  // fn(index), whichever kind the table has.
  template <class Fn>
  auto with_index(Fn&& fn) {
    return bounded_ ? fn(*bounded_) : fn(*hashed_);
  }
  template <class Fn>
  auto with_index(Fn&& fn) const {
    return bounded_ ? fn(*bounded_) : fn(std::as_const(*hashed_));
  }

  // Looks up the first rows.size() keys and asks memory for `row_bytes` of each row. Keys behind
  // them are those that will be looked up next.
  void find(std::span<const Key> keys, std::span<RowRef> rows, std::size_t row_bytes) const;
  RowRef find(Key key) const;
  Result<> find_or_make(std::span<const Key> keys, std::span<RowRef> rows, std::size_t row_bytes);
  Result<RowRef> find_or_make(Key key);
  // The row of a key that has none, with its lock if `lock` is Anchor::kLocked, else 0. Nothing if
  // it has one by now.
  Result<std::optional<RowRef>> make_row(Key key, Anchor::Word lock);

  // Calls find(begin, rows) and then use(begin, rows) for each part of a batch, with one part
  // always found ahead; `rows` are the places of the lookups of keys begin .. begin + rows.size().
  template <class Find, class Use>
  Result<> for_parts(std::size_t batch, RowScratch& scratch, Find&& find, Use&& use) const;
  // on_absent(position) for rows that are not there.
  template <class OnAbsent>
  void copy_out(std::span<const Key> keys, std::span<RowRef> rows, const RowLayout& layout,
                std::span<float> values, OnAbsent&& on_absent) const;
  template <class OnAbsent>
  Result<> copy_out(std::span<const Key> keys, const RowLayout& layout, std::span<float> values,
                    RowScratch& scratch, OnAbsent&& on_absent) const;
  // The row of a key before anybody has written it.
  void fill_new(Key key, std::span<float> row) const;
  // apply(rows, done, begin) changes the rows of a part from position `done` on; `begin` is where
  // the part begins in the batch. Returns like the calls of row_kernels.h.
  template <class Apply>
  Result<> change(std::span<const Key> keys, RowScratch& scratch, Apply&& apply);
  template <class Apply>
  Result<> change_here(std::span<const Key> keys, RowScratch& scratch, Missed& missed,
                       Apply&& apply);
  void note_touched(std::span<const Key> keys, std::span<const RowRef> rows);
  // The row with its lock. REQUIRES: it is there.
  RowRef lock_row(Key key, RowRef found) const;
  void erase_locked(std::span<const Key> keys, std::span<const RowRef> rows);

  const TableSpec spec_;
  const RowLayout layout_;
  MemoryBudget& budget_;
  const std::uint64_t counted_bytes_;  // of the budget, for a bounded table

  mutable Mutex structure_;  // rows made and erased; never held while a row lock is waited for
  Slabs slabs_;
  std::optional<BoundedIndex> bounded_;  // one of the two
  std::unique_ptr<HashIndex> hashed_;

  HoldTimes* hold_times_ = nullptr;
  std::atomic<std::uint64_t> shared_rows_{0};
  std::atomic<bool> has_touched_{false};
  Mutex touching_;
  std::vector<Key> touched_ GODWIT_GUARDED_BY(touching_);
  // A key that is here is in touched_ already: rows that all want are touched again and again.
  static constexpr Key kNoKey = ~Key{0};
  std::array<Key, 256> recently_touched_ GODWIT_GUARDED_BY(touching_);
};

template <class Fn>
void TableRows::visit(std::span<const Key> keys, RowScratch& scratch, Fn&& fn) const {
  constexpr std::size_t kAhead = 16;
  scratch.resize(kAhead);
  for (std::size_t begin = 0; begin < keys.size(); begin += kAhead) {
    const auto rows = std::span(scratch).first(std::min(kAhead, keys.size() - begin));
    find(keys.subspan(begin), rows, layout_.row_bytes());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RowRef row = lock_row(keys[begin + i], rows[i]);
      const Time begun = hold_times_ != nullptr ? hold_times_->begin() : Time::max();
      fn(begin + i, std::span<float>(row.row, layout_.row_floats()));
      row.anchor->unlock(row.word);
      if (hold_times_ != nullptr) hold_times_->end(begun);
    }
  }
}

template <class Fn>
void TableRows::take_out(std::span<const Key> keys, RowScratch& scratch, Fn&& fn) {
  // Rows are held together so that the table is locked less often, but only few, so that nobody
  // waits for long.
  constexpr std::size_t kTogether = 4;
  scratch.resize(kTogether);
  for (std::size_t begin = 0; begin < keys.size(); begin += kTogether) {
    const auto some = keys.subspan(begin, std::min(kTogether, keys.size() - begin));
    const auto rows = std::span(scratch).first(some.size());
    find(keys.subspan(begin), rows, layout_.row_bytes());
    const Time begun = hold_times_ != nullptr ? hold_times_->begin() : Time::max();
    for (std::size_t i = 0; i < some.size(); ++i) {
      rows[i] = lock_row(some[i], rows[i]);
      fn(begin + i, std::span<float>(rows[i].row, layout_.row_floats()));
    }
    erase_locked(some, rows);
    if (hold_times_ != nullptr) hold_times_->end(begun);
  }
}

}  // namespace godwit
