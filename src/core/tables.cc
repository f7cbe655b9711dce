// core/tables.cc: opens tables by name.
#include "core/tables.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

// The first field in which two specs of one name differ, with both values.
std::string difference(const TableSpec& have, const TableSpec& want) {
  if (have.rows != want.rows) return fmt::format("rows {} and {}", have.rows, want.rows);
  if (have.row_length != want.row_length) {
    return fmt::format("row_length {} and {}", have.row_length, want.row_length);
  }
  if (have.rule != want.rule) {
    return fmt::format("rule {} and {}", to_string(have.rule), to_string(want.rule));
  }
  if (have.consistency != want.consistency) {
    return fmt::format("consistency {} and {}", to_string(have.consistency),
                       to_string(want.consistency));
  }
  if (have.placement != want.placement) {
    return fmt::format("placement {} and {}", to_string(have.placement), to_string(want.placement));
  }
  if (have.codec != want.codec) {
    return fmt::format("codec {} and {}", to_string(have.codec), to_string(want.codec));
  }
  if (have.scratch != want.scratch) return "scratch";
  return have.init == want.init ? "accept_nonfinite" : "init";
}

}  // namespace

Tables::Tables(std::uint64_t memory_bytes_max, double share, HoldTimes* holds)
    : budget_(memory_bytes_max == 0 ? available_memory_bytes() : memory_bytes_max),
      share_(share),
      holds_(holds) {}

Result<Tables::Entry> Tables::make(TableId id, const TableSpec& spec) {
  GODWIT_TRY_ASSIGN(auto rows, TableRows::make(spec, budget_, share_));
  if (holds_ != nullptr) rows->measure_holds(*holds_);
  const MutexLock lock(mutex_);
  const bool is_new = by_name_.emplace(spec.name, id).second;
  GODWIT_CHECK(is_new);
  const auto [place, fresh] = by_id_.emplace(id, std::move(rows));
  GODWIT_CHECK(fresh);
  note_staleness();
  return Entry{id, place->second.get()};
}

void Tables::note_staleness() {
  std::int64_t smallest = kUnboundedStaleness;
  bool has_auto = false;
  for (const auto& [id, rows] : by_id_) {
    const Consistency& consistency = rows->spec().consistency;
    if (is_bounded(consistency)) smallest = std::min(smallest, staleness_of(consistency));
    has_auto = has_auto || consistency.kind == ConsistencyKind::kAuto;
  }
  has_auto_.store(has_auto, std::memory_order_relaxed);
  staleness_.store(smallest, std::memory_order_relaxed);
}

void Tables::set_found_staleness(std::int64_t staleness) {
  const MutexLock lock(mutex_);
  found_staleness_.store(staleness, std::memory_order_relaxed);
  note_staleness();
}

void Tables::drop(TableId id) {
  const MutexLock lock(mutex_);
  const auto place = by_id_.find(id);
  if (place == by_id_.end()) return;
  by_name_.erase(place->second->spec().name);
  by_id_.erase(place);
  note_staleness();
}

Result<std::optional<Tables::Entry>> Tables::find(const TableSpec& spec) const {
  const MutexLock lock(mutex_);
  const auto name = by_name_.find(spec.name);
  if (name == by_name_.end()) return std::optional<Entry>();
  TableRows* const rows = by_id_.at(name->second).get();
  if (rows->spec() != spec) {
    return invalid_argument("table '{}' is open already with another spec: {}", spec.name,
                            difference(rows->spec(), spec));
  }
  return std::optional(Entry{name->second, rows});
}

TableRows* Tables::find(TableId id) const {
  const MutexLock lock(mutex_);
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second.get();
}

}  // namespace godwit
