// core/tables.h: the tables of a node and the memory they share. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "clock/auto_staleness.h"
#include "clock/staleness.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "store/memory_budget.h"
#include "store/table_rows.h"

namespace godwit {

class Tables {
 public:
  // All tables together take at most `memory_bytes_max`; 0 = what the machine has available now.
  // `share` of each table's rows is expected on this node.
  // `holds`, if given, is told how long rows are locked by who copies and moves them.
  explicit Tables(std::uint64_t memory_bytes_max, double share = 1, HoldTimes* holds = nullptr);

  struct Entry {
    TableId id;
    TableRows* rows = nullptr;  // live as long as this, unless dropped
  };

  // Makes an empty table. kInvalidArgument for a bad spec, kOutOfMemory if it does not fit.
  // REQUIRES: neither the id nor the name is in use.
  Result<Entry> make(TableId id, const TableSpec& spec);
  // REQUIRES: nobody uses its rows.
  void drop(TableId id);

  // The table of this name, if there is one. kInvalidArgument if its spec is another, with both
  // values of the first field that differs.
  Result<std::optional<Entry>> find(const TableSpec& spec) const;
  // Null if there is no such table.
  TableRows* find(TableId id) const;
  // The smallest of all tables whose reads may not be older than some ticks; nothing if there are
  // none.
  std::optional<std::int64_t> staleness() const {
    const std::int64_t smallest = staleness_.load(std::memory_order_relaxed);
    return smallest == kUnboundedStaleness ? std::nullopt : std::optional(smallest);
  }
  // Of one of them. Tables with `auto` have what was found out last.
  std::int64_t staleness_of(const Consistency& consistency) const {
    return godwit::staleness_of(consistency, found_staleness_.load(std::memory_order_relaxed));
  }
  bool has_auto() const { return has_auto_.load(std::memory_order_relaxed); }
  std::int64_t found_staleness() const { return found_staleness_.load(std::memory_order_relaxed); }
  void set_found_staleness(std::int64_t staleness);
  // fn(id, rows) for each table, in the order of ids.
  template <class Fn>
  void for_each(Fn&& fn) const {
    const MutexLock lock(mutex_);
    for (const auto& [id, rows] : by_id_) fn(id, *rows);
  }

 private:
  static constexpr std::int64_t kUnboundedStaleness = std::numeric_limits<std::int64_t>::max();

  void note_staleness() GODWIT_REQUIRES(mutex_);

  MemoryBudget budget_;
  const double share_;
  HoldTimes* const holds_;
  mutable Mutex mutex_;
  std::map<TableId, std::unique_ptr<TableRows>> by_id_ GODWIT_GUARDED_BY(mutex_);
  std::map<std::string, TableId, std::less<>> by_name_ GODWIT_GUARDED_BY(mutex_);
  std::atomic<std::int64_t> staleness_ = kUnboundedStaleness;
  std::atomic<std::int64_t> found_staleness_ = AutoStaleness::kFirst;
  std::atomic<bool> has_auto_ = false;
};

}  // namespace godwit
