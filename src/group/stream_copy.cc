// group/stream_copy.cc: whole vectors are streamed, what is before and behind them is not. The
// instruction set that every processor has is as fast as any: memory is the limit.
#include "group/stream_copy.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace godwit {

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % width;
  const std::size_t head = std::min(bytes, past == 0 ? 0 : width - past);
  std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + width <= bytes; i += width) {
    const auto* next = reinterpret_cast<const std::uint8_t*>(from + i);
    hn::Stream(hn::LoadU(d, next), d, reinterpret_cast<std::uint8_t*>(to + i));
  }
  std::memcpy(to + i, from + i, bytes - i);
  hwy::FlushStream();
}

}  // namespace godwit
