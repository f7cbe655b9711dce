// core/wanted_rows.h: which rows this node's threads want, how many of their leases do, and by
// what means a row is here. Owned by the node's state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "placement/row_id.h"

namespace godwit {

// A *visit* is a copy of a row that its owner does not know of: fetched, changed here, and given
// back as one addition. Everything else is the business of the row protocol (core/shared_rows.h).
enum class Stage : std::uint8_t {
  kProtocol,  // no visit: the row is owned here, or its owner has been told
  kDelayed,   // to be fetched once this node's own requests for it are done
  kFetching,  // asked for
  kRefused,   // could not be had: Visits knows why
  kVisiting,  // here
  kLeaving,   // what was added here is on its way to the owner
};

struct WantedRow {
  Key key = 0;
  std::uint32_t users = 0;  // leases, each as often as the row occurs in it
  Stage stage = Stage::kProtocol;
  std::uint32_t base : 23 = 0;      // of a visit: number of the block with the row as it came
  std::uint32_t is_ending : 1 = 0;  // in the list of visits that nobody needed any more
};
static_assert(sizeof(WantedRow) == 16);

// Of one table. Linear probing in a power of two of places, at most half of them taken: a lookup
// is one cache line, which can be asked for ahead. A place is free iff its users and stage are 0.
class WantedRowsOfTable {
 public:
  void prefetch(Key key) const {
    if (!places_.empty()) __builtin_prefetch(&places_[home(key)], 1);
  }
  // The record of a key, made if there is none; then its users or stage must be set at once. Valid
  // until the next of() or erase().
  WantedRow& of(Key key) {
    if (2 * (size_ + 1) > places_.size()) grow();
    WantedRow& row = places_[locate(key)];
    if (is_free(row)) {
      row.key = key;
      ++size_;
    }
    return row;
  }
  // Null if there is none.
  WantedRow* find(Key key) {
    if (places_.empty()) return nullptr;
    WantedRow& row = places_[locate(key)];
    return is_free(row) ? nullptr : &row;
  }
  // REQUIRES: `row` is of this.
  void erase(WantedRow& row);

  std::size_t size() const { return size_; }
  // fn(row) must neither add nor erase.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (WantedRow& row : places_) {
      if (!is_free(row)) fn(row);
    }
  }

 private:
  static bool is_free(const WantedRow& row) {
    return row.users == 0 && row.stage == Stage::kProtocol;
  }
  std::size_t home(Key key) const { return splitmix64(key) & (places_.size() - 1); }
  std::size_t locate(Key key) const {
    std::size_t i = home(key);
    while (places_[i].key != key && !is_free(places_[i])) i = (i + 1) & (places_.size() - 1);
    return i;
  }
  void grow();

  std::vector<WantedRow> places_;
  std::size_t size_ = 0;
};

class WantedRows {
 public:
  WantedRowsOfTable& table(TableId id) {
    const auto index = static_cast<std::size_t>(id.value());
    if (index >= tables_.size()) tables_.resize(index + 1);
    return tables_[index];
  }
  template <class Fn>
  void for_each_table(Fn&& fn) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].size() > 0) fn(TableId{static_cast<std::int64_t>(i)}, tables_[i]);
    }
  }
  // Null if there is none.
  WantedRow* find(RowId id) { return table(id.table).find(id.key); }
  const WantedRow* find(RowId id) const { return const_cast<WantedRows*>(this)->find(id); }

  bool is_wanted(RowId id) const {
    const WantedRow* const row = find(id);
    return row != nullptr && row->users > 0;
  }
  // A visit is coming or leaving: who reads or changes the row elsewhere now may miss something.
  bool is_in_between(RowId id) const {
    const WantedRow* const row = find(id);
    return row != nullptr && (row->stage == Stage::kFetching || row->stage == Stage::kLeaving ||
                              row->stage == Stage::kDelayed);
  }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const WantedRowsOfTable& rows : tables_) sum += rows.size();
    return sum;
  }

 private:
  std::vector<WantedRowsOfTable> tables_;  // by table id
};

}  // namespace godwit
