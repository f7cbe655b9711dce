// placement/row_id.h: one row of the job.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/prng.h"
#include "godwit/ids.h"

namespace godwit {

struct RowId {
  TableId table;
  Key key = 0;

  friend auto operator<=>(const RowId&, const RowId&) = default;  // NOLINT: not a null pointer

  struct Hash {
    std::size_t operator()(const RowId& id) const {
      return mix64(static_cast<std::uint64_t>(id.table.value()), id.key);
    }
  };
};

}  // namespace godwit
