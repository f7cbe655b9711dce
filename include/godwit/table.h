// godwit/table.h: a handle on a table of the job. Cheap to copy; safe to share between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "godwit/table_spec.h"

namespace godwit {

class TableState;

struct TableStats {
  std::uint64_t resident_rows = 0;   // rows with memory on this node
  std::uint64_t row_bytes = 0;       // their values and state
  std::uint64_t overhead_bytes = 0;  // index, locks, padding, free slots: everything else
};

class Table {
 public:
  const TableSpec& spec() const;
  // Memory this table takes on this node now.
  TableStats stats() const;

 private:
  friend class Session;
  friend class Worker;
  explicit Table(std::shared_ptr<TableState> state) : state_(std::move(state)) {}

  std::shared_ptr<TableState> state_;
};

}  // namespace godwit
