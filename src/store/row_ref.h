// store/row_ref.h: a row that was looked up, and guards to touch it in place.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"
#include "store/anchor.h"
#include "store/row_layout.h"

namespace godwit {

// Where a row was when it was looked up. Stays right while anchor->lock(word) succeeds.
struct RowRef {
  float* row = nullptr;  // values, then state; null: no row
  Anchor* anchor = nullptr;
  Anchor::Word word = 0;
  std::uint32_t slot = 0;  // of its memory
};

// Access to one row under its lock, from construction to destruction. A thread that holds one
// must not pull, push or guard the same row: it would wait for itself.
class LockedRow {
 public:
  // REQUIRES: the row stays resident (as rows under a lease do).
  LockedRow(const RowRef& ref, const RowLayout& layout) : ref_(ref), layout_(layout) {
    const bool still_there = ref_.anchor->lock(ref_.word);
    GODWIT_CHECK(still_there);
  }
  LockedRow(const LockedRow&) = delete;
  LockedRow& operator=(const LockedRow&) = delete;
  ~LockedRow() { ref_.anchor->unlock(ref_.word); }

  std::span<float> value() const { return {ref_.row, layout_.value_length}; }
  std::span<float> state() const { return {ref_.row + layout_.value_length, layout_.state_length}; }

 private:
  const RowRef ref_;
  const RowLayout& layout_;
};

// Access to one row with no lock (Hogwild): concurrent updates of it may be lost, and a reader may
// see half of one. For algorithms that bear it; never for counts.
class RacyRow {
 public:
  RacyRow(const RowRef& ref, const RowLayout& layout) : row_(ref.row), layout_(layout) {}

  std::span<float> value() const { return {row_, layout_.value_length}; }
  std::span<float> state() const { return {row_ + layout_.value_length, layout_.state_length}; }

 private:
  float* row_;
  const RowLayout& layout_;
};

}  // namespace godwit
