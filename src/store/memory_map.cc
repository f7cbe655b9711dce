// store/memory_map.cc: anonymous mmap, aligned so that the kernel can use huge pages.
#include "store/memory_map.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Result<MemoryMap> MemoryMap::make(std::size_t bytes) {
  bytes = round_up(bytes, kPage);
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kPage;
  const std::size_t reserved = bytes + alignment - kPage;
  void* map = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    return out_of_memory("cannot map {} bytes: {}", reserved, std::strerror(errno));
  }
  auto* first = static_cast<std::byte*>(map);
  const std::size_t skip =
      (alignment - reinterpret_cast<std::uintptr_t>(first) % alignment) % alignment;
  std::byte* begin = first + skip;
  if (skip > 0) ::munmap(first, skip);
  if (std::byte* end = begin + bytes; end < first + reserved) {
    ::munmap(end, static_cast<std::size_t>(first + reserved - end));
  }
  // Advice only: without huge pages everything still works.
  if (bytes >= kHugePage) ::madvise(begin, bytes, MADV_HUGEPAGE);
  return MemoryMap(begin, bytes);
}

MemoryMap::~MemoryMap() {
  if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

}  // namespace godwit
