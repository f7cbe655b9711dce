// group/shared_channel.h: messages of bounded length from one process to another of the same host,
// through memory that both see. One thread sends and one receives; neither ever waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cache_line.h"

namespace godwit {

// A view of the memory, which somebody else owns; both sides make one.
class SharedChannel {
 public:
  static constexpr std::size_t kMessageBytesMax = std::size_t{128} << 10;
  static constexpr std::uint32_t kSlots = 8;

  // Of the memory of a channel. It is aligned to a cache line, and cleared
  // before it is used.
  static std::size_t memory_bytes() { return sizeof(Memory); }

  SharedChannel() = default;  // of nothing
  explicit SharedChannel(std::byte* memory) : memory_(reinterpret_cast<Memory*>(memory)) {}
  bool is_there() const { return memory_ != nullptr; }

  // Makes it empty, before anybody uses it.
  void clear() const;

  // The sender's: where the next message may be written; null while all slots are full.
  std::byte* room() const;
  // REQUIRES: room() was not null; 0 < length <= kMessageBytesMax.
  void publish(std::size_t length) const;

  // The receiver's: the next message, valid until pop(); empty while there is none.
  std::span<const std::byte> front() const;
  // REQUIRES: front() was not empty.
  void pop() const;

 private:
  struct Memory {
    alignas(kCacheLineSize) std::atomic<std::uint32_t> written;  // messages so far
    alignas(kCacheLineSize) std::atomic<std::uint32_t> taken;
    alignas(kCacheLineSize) std::uint32_t lengths[kSlots];
    alignas(kCacheLineSize) std::byte slots[kSlots][kMessageBytesMax];
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share it");

  Memory* memory_ = nullptr;
};

}  // namespace godwit
