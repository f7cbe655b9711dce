// core/row_entries.h: the entries of rows, by table and key. Owned by the node's state machine.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/key_table.h"
#include "core/row_entry.h"
#include "placement/row_id.h"

namespace godwit {

class RowEntries {
 public:
  void prefetch(RowId id) const {
    if (const auto* const table = find_table(id.table)) table->prefetch(id.key);
  }
  // Null if there is none. An entry stays where it is until it is erased.
  const RowEntry* find(RowId id) const {
    const auto* const table = find_table(id.table);
    const Place* const place = table == nullptr ? nullptr : table->find(id.key);
    return place == nullptr ? nullptr : place->entry.get();
  }
  // Made if there is none.
  RowEntry& of(RowId id) {
    const auto index = static_cast<std::size_t>(id.table.value());
    if (index >= tables_.size()) tables_.resize(index + 1);
    Place& place = tables_[index].of(id.key);
    if (place.entry == nullptr) {
      place.entry = std::make_unique<RowEntry>();
      ++size_;
    }
    return *place.entry;
  }
  // REQUIRES: there is one.
  void erase(RowId id) {
    KeyTable<Place>& table = tables_[static_cast<std::size_t>(id.table.value())];
    table.erase(*table.find(id.key));
    --size_;
  }

  bool empty() const { return size_ == 0; }
  // fn(id, entry) must neither add nor erase.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const TableId table{static_cast<std::int64_t>(i)};
      tables_[i].for_each([&](const Place& place) { fn(RowId{table, place.key}, *place.entry); });
    }
  }

 private:
  struct Place {
    Key key = 0;
    std::unique_ptr<RowEntry> entry;
    bool is_free() const { return entry == nullptr; }
  };

  const KeyTable<Place>* find_table(TableId id) const {
    const auto index = static_cast<std::size_t>(id.value());
    return index < tables_.size() ? &tables_[index] : nullptr;
  }

  std::vector<KeyTable<Place>> tables_;  // by table id
  std::size_t size_ = 0;
};

}  // namespace godwit
