// base/spsc_ring.h: a wait-free ring between one producer thread and one consumer thread.
// try_push() belongs to the producer, try_pop() to the consumer; the rest to whoever builds it.
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

// Each side keeps its last view of the other's index and looks again only when that view says
// full or empty, so that in steady flow the two cache lines of indices are rarely exchanged.
template <class T>
class SpscRing {
 public:
  // REQUIRES: capacity is a power of two. T can be default-constructed; slots hold a T always.
  explicit SpscRing(std::size_t capacity) : mask_(capacity - 1), slots_(capacity) {
    GODWIT_CHECK(std::has_single_bit(capacity));
  }
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  // False, with `item` untouched, if the ring is full.
  [[nodiscard]] bool try_push(T&& item) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    slots_[tail & mask_] = std::move(item);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // Nothing if the ring is empty.
  [[nodiscard]] std::optional<T> try_pop() {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_seen_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head == tail_seen_) return std::nullopt;
    }
    std::optional<T> item(std::move(slots_[head & mask_]));
    head_.store(head + 1, std::memory_order_release);
    return item;
  }

  std::size_t capacity() const { return mask_ + 1; }

 private:
  const std::uint64_t mask_;
  std::vector<T> slots_;
  // The producer's line. Indices only grow; a slot is its index modulo the capacity.
  alignas(kCacheLineSize) std::atomic<std::uint64_t> tail_{0};
  std::uint64_t head_seen_ = 0;
  // The consumer's line.
  alignas(kCacheLineSize) std::atomic<std::uint64_t> head_{0};
  std::uint64_t tail_seen_ = 0;
};

}  // namespace godwit
