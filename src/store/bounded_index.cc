// store/bounded_index.cc: reserves the array of anchors.
#include "store/bounded_index.h"

#include "base/try.h"

namespace godwit {

Result<BoundedIndex> BoundedIndex::make(std::uint64_t rows) {
  // Zeroed memory is an array of anchors without rows.
  GODWIT_TRY_ASSIGN(MemoryMap map, MemoryMap::make(rows * sizeof(Anchor)));
  return BoundedIndex(std::move(map));
}

}  // namespace godwit
