// group/broadcast.h: one rank's list to all, down a tree, and barriers. Owned by the thread that
// runs the call.
#pragma once

#include <cstddef>

#include "group/call_links.h"
#include "group/scratch.h"
#include "group/tensor_list.h"

namespace godwit {

// Copy 0 of rank `root` goes to all copies of all ranks. REQUIRES: size() > 1, a root that exists,
// the list is not empty.
Result<> run_broadcast(CallLinks& links, const TensorList& list, int root, std::size_t chunk_bytes,
                       Scratch& scratch);

// Returns when all ranks have come. REQUIRES: size() > 1.
Result<> run_barrier(CallLinks& links);

// What a group of one rank does; the sum is that of its copies.
void reduce_alone(const TensorList& list, float scale, bool to_all_copies);
// Copy 0 to the others.
void spread_first_copy(const TensorList& list);

}  // namespace godwit
