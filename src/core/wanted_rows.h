// core/wanted_rows.h: rows that this node's threads want and that are not here, and those that are
// here as guests. Owned by the node's state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/float_blocks.h"
#include "core/key_table.h"
#include "core/lease_window.h"
#include "placement/row_id.h"

namespace godwit {

// A *visit* is a copy of a row that its owner does not know of: fetched, changed here, and given
// back as one addition; if it stays for longer, what was added is *exchanged* for the row as it is
// then, now and again. Everything else is the business of the row protocol (core/shared_rows.h).
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
  // Leases that miss the row, each as often as it occurs in it. Those that have it are counted
  // beside the row (store/row_use.h).
  std::uint32_t users : 30 = 0;
  // Of a visit:
  std::uint32_t is_listed : 1 = 0;  // among those to be ended or exchanged
  std::uint32_t returns : 1 = 0;    // expected to be wanted again soon
  Stage stage : 8 = Stage::kProtocol;
  std::uint32_t base : 24 = 0;  // of a visit: number of the block with the row as it came

  static constexpr std::uint32_t kBaseMax = (1U << 24U) - 1;
  bool is_free() const { return users == 0 && stage == Stage::kProtocol; }
};
static_assert(sizeof(WantedRow) == 16);

using WantedRowsOfTable = KeyTable<WantedRow>;

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
  // The rows of visits as they came.
  FloatBlocks& bases(TableId table, std::size_t row_floats) {
    return bases_.try_emplace(table, row_floats).first->second;
  }
  const WantedRow* find(RowId id) const { return const_cast<WantedRows*>(this)->find(id); }

  // A visit is coming or leaving: who reads or changes the row elsewhere now may miss something.
  bool is_in_between(RowId id) const {
    const WantedRow* const row = find(id);
    return row != nullptr && (row->stage == Stage::kFetching || row->stage == Stage::kLeaving ||
                              row->stage == Stage::kDelayed);
  }
  LeaseWindow& window() { return window_; }
  const LeaseWindow& window() const { return window_; }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const WantedRowsOfTable& rows : tables_) sum += rows.size();
    return sum;
  }

 private:
  std::vector<WantedRowsOfTable> tables_;  // by table id
  std::map<TableId, FloatBlocks> bases_;
  LeaseWindow window_;
};

}  // namespace godwit
