// core/tables.cc: opens tables by name.
#include "core/tables.h"

#include <utility>

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
  return have.init == want.init ? "accept_nonfinite" : "init";
}

}  // namespace

Tables::Tables(std::uint64_t memory_bytes_max)
    : budget_(memory_bytes_max == 0 ? available_memory_bytes() : memory_bytes_max) {}

Result<TableRows*> Tables::open(const TableSpec& spec) {
  GODWIT_TRY(spec.validate());
  const MutexLock lock(mutex_);
  auto place = by_name_.find(spec.name);
  if (place == by_name_.end()) {
    GODWIT_TRY_ASSIGN(auto rows, TableRows::make(spec, budget_));
    place = by_name_.emplace(spec.name, std::move(rows)).first;
  } else if (place->second->spec() != spec) {
    return invalid_argument("table '{}' is open already with another spec: {}", spec.name,
                            difference(place->second->spec(), spec));
  }
  return place->second.get();
}

}  // namespace godwit
