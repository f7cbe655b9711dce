// core/tables.h: the tables of a node and the memory they share. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "store/memory_budget.h"
#include "store/table_rows.h"

namespace godwit {

class Tables {
 public:
  // All tables together take at most this much; 0 = what the machine has available now.
  explicit Tables(std::uint64_t memory_bytes_max);

  // The rows of the table of this name, made if it does not exist; they live as long as this.
  // kInvalidArgument for a bad spec or if the name belongs to a table with another one,
  // kOutOfMemory if it does not fit.
  Result<TableRows*> open(const TableSpec& spec);

 private:
  MemoryBudget budget_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<TableRows>> by_name_ GODWIT_GUARDED_BY(mutex_);
};

}  // namespace godwit
