// group/doubling.h: allreduce of short lists in about log2(n) exchanges, for any number of ranks.
// Owned by the thread that runs the call.
#pragma once

#include "group/call_links.h"
#include "group/scratch.h"
#include "group/tensor_list.h"

namespace godwit {

// Both lay the sums of the local copies into one buffer of floats and exchange with the ranks at
// distances 1, 2, 4, ...; if n is no power of two, the ranks beyond the largest one first give
// their part to another rank and get the result from it. All ranks get the same bits, and the same
// inputs give the same bits. A bf16 list travels in f32 and is rounded once, at the end.
// Values of the list are as before after an error, unless it came while they were written.
// `scale`: the sum is multiplied by it. REQUIRES: size() > 1, the list is not empty.

// Whole buffers are exchanged: log2(n) messages.
Result<> run_doubling(CallLinks& links, const TensorList& list, float scale, Scratch& scratch);

// Halves, quarters, ... are exchanged and summed, then gathered: 2 log2(n) messages with the bytes
// of two whole buffers in all.
Result<> run_halving_doubling(CallLinks& links, const TensorList& list, float scale,
                              Scratch& scratch);

}  // namespace godwit
