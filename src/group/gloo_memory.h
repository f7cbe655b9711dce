// group/gloo_memory.h: memory that ranks which met by gloo share if they are on one host. gloo has
// no part in it but to tell them its names. Owned by one thread.
#pragma once

#include <gloo/rendezvous/store.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "group/host_segment.h"

namespace godwit {

class GlooMemory {
 public:
  // A call of all ranks, each of which contributes the same number of bytes: what is in them must
  // be good to begin with, as zeros are. kTimeout if not all come.
  static Result<std::shared_ptr<GlooMemory>> share(gloo::rendezvous::Store& store, int rank,
                                                   int size, std::size_t bytes, Time deadline);

  // Of each rank, null if it and this one do not see each other's. The own one may be null, too.
  const std::vector<std::byte*>& places() const { return places_; }
  // Whether a rank with a place has ended.
  bool is_gone(int rank) const;

 private:
  std::vector<std::optional<HostSegment>> segments_;  // by rank
  std::vector<std::byte*> places_;
};

}  // namespace godwit
