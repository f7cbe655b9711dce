// group/stream_copy.h: copies past the caches, for what another processor reads next. Thread-safe:
// no state.
#pragma once

#include <cstddef>

namespace godwit {

// Like memcpy. Whoever sees what this thread stores afterwards sees the bytes, too.
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace godwit
