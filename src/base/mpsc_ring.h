// base/mpsc_ring.h: a bounded lock-free ring from many producer threads to one consumer thread.
// try_push() is for any thread, try_pop() for the consumer alone.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/cache_line.h"
#include "base/check.h"

namespace godwit {

// Vyukov's bounded queue. Slot i's turn tells whose it is: turn == p, the producer of position p
// may fill it; turn == p + 1, position p is filled and the consumer may take it. Then turn becomes
// p + capacity, which hands the slot to the producer of the next lap.
template <class T>
class MpscRing {
 public:
  // REQUIRES: capacity is a power of two and at least 2 (with 1, filled and free look the same).
  // T can be default-constructed; slots hold a T always.
  explicit MpscRing(std::size_t capacity) : mask_(capacity - 1), slots_(capacity) {
    GODWIT_CHECK(std::has_single_bit(capacity) && capacity >= 2);
    for (std::size_t i = 0; i < capacity; ++i) {
      slots_[i].turn.store(i, std::memory_order_relaxed);
    }
  }
  MpscRing(const MpscRing&) = delete;
  MpscRing& operator=(const MpscRing&) = delete;

  // False, with `item` untouched, if the ring is full.
  [[nodiscard]] bool try_push(T&& item) {
    std::uint64_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[position & mask_];
      const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);
      if (turn == position) {
        if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
          slot.item = std::move(item);
          slot.turn.store(position + 1, std::memory_order_release);
          return true;
        }
      } else if (turn < position) {
        return false;  // still filled since the lap before
      } else {
        position = tail_.load(std::memory_order_relaxed);  // another producer was faster
      }
    }
  }

  // Nothing if the ring is empty, or if the producer whose turn it is has not finished its push.
  [[nodiscard]] std::optional<T> try_pop() {
    Slot& slot = slots_[head_ & mask_];
    if (slot.turn.load(std::memory_order_acquire) != head_ + 1) return std::nullopt;
    std::optional<T> item(std::move(slot.item));
    slot.turn.store(head_ + mask_ + 1, std::memory_order_release);
    ++head_;
    return item;
  }

  std::size_t capacity() const { return mask_ + 1; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> turn{0};
    T item{};
  };

  const std::uint64_t mask_;
  std::vector<Slot> slots_;
  alignas(kCacheLineSize) std::atomic<std::uint64_t> tail_{0};  // of the producers
  alignas(kCacheLineSize) std::uint64_t head_ = 0;              // of the consumer
};

}  // namespace godwit
