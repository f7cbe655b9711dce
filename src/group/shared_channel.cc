// group/shared_channel.cc: a ring of slots with one counter for each side.
#include "group/shared_channel.h"

#include "base/check.h"

namespace godwit {

void SharedChannel::clear() const {
  memory_->written.store(0, std::memory_order_relaxed);
  memory_->taken.store(0, std::memory_order_relaxed);
}

std::byte* SharedChannel::room() const {
  const std::uint32_t written = memory_->written.load(std::memory_order_relaxed);
  // Acquire: what the receiver has read of the slot was read before it is written again.
  if (written - memory_->taken.load(std::memory_order_acquire) == kSlots) return nullptr;
  return memory_->slots[written % kSlots];
}

void SharedChannel::publish(std::size_t length) const {
  GODWIT_CHECK(0 < length && length <= kMessageBytesMax);
  const std::uint32_t written = memory_->written.load(std::memory_order_relaxed);
  memory_->lengths[written % kSlots] = static_cast<std::uint32_t>(length);
  memory_->written.store(written + 1, std::memory_order_release);
}

std::span<const std::byte> SharedChannel::front() const {
  const std::uint32_t taken = memory_->taken.load(std::memory_order_relaxed);
  if (memory_->written.load(std::memory_order_acquire) == taken) return {};
  return {memory_->slots[taken % kSlots], memory_->lengths[taken % kSlots]};
}

void SharedChannel::pop() const {
  const std::uint32_t taken = memory_->taken.load(std::memory_order_relaxed);
  memory_->taken.store(taken + 1, std::memory_order_release);
}

}  // namespace godwit
