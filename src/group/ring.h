// group/ring.h: reduce-scatter and allgather around a ring, for long lists: every rank sends to the
// next one and receives from the one before. Owned by the thread that runs the call.
#pragma once

#include <cstddef>

#include "group/call_links.h"
#include "group/scratch.h"
#include "group/tensor_list.h"

namespace godwit {

struct RingTuning {
  std::size_t chunk_bytes = std::size_t{256} << 10;  // of a message, in f32
  std::size_t in_flight = 2;                         // messages in each direction
  bool streams = false;                              // what is made for others is, past the caches
};

enum class RingPart {
  kReduceScatter,  // copy 0 of this rank's share becomes the sum; all else stays
  kAllgather,      // copy 0 of each rank's share goes to all copies of all ranks
  kAllreduce,      // both; all copies get the sum
};

// Each share of the list is summed by one rank after the other in a fixed order, and the last one
// gives the result to all: all ranks get the same bits, and the same inputs give the same bits
// whatever the tuning. Sums travel in f32; a bf16 list is rounded once, at the end.
// Values are unspecified after an error. `scale`: the sum is multiplied by it.
// REQUIRES: size() > 1, the list is not empty.
Result<> run_ring(CallLinks& links, const TensorList& list, RingPart part, float scale,
                  const RingTuning& tuning, Scratch& scratch);

}  // namespace godwit
