// base/bounded_queue.h: a queue with a bound between any number of producers and consumers.
// Thread-safe. For hot paths see spsc_ring.h and mpsc_ring.h, which never block.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace godwit {

enum class QueueStatus {
  kDone,     // the item went in, or one came out
  kTimeout,  // the deadline passed first
  kClosed,   // nothing goes in any more, or nothing is left to come out
};

// First in, first out. Deadlines are of RealTime.
template <class T>
class BoundedQueue {
 public:
  // REQUIRES: capacity > 0.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {
    GODWIT_CHECK_GT(capacity, 0U);
  }

  // Waits for room. `item` is moved from only if kDone comes back.
  [[nodiscard]] QueueStatus push(T&& item, Time deadline) GODWIT_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool in_time = room_.wait_until(lock, deadline, [this]() GODWIT_REQUIRES(mutex_) {
      return closed_ || items_.size() < capacity_;
    });
    if (!in_time) return QueueStatus::kTimeout;
    if (closed_) return QueueStatus::kClosed;
    put(std::move(item));
    return QueueStatus::kDone;
  }

  // Waits for an item; it replaces `out` only if kDone comes back.
  [[nodiscard]] QueueStatus pop(T& out, Time deadline) GODWIT_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool in_time = filled_.wait_until(
        lock, deadline, [this]() GODWIT_REQUIRES(mutex_) { return closed_ || !items_.empty(); });
    if (!in_time) return QueueStatus::kTimeout;
    if (items_.empty()) return QueueStatus::kClosed;
    out = take();
    return QueueStatus::kDone;
  }

  // False, with `item` untouched, if the queue is full or closed.
  [[nodiscard]] bool try_push(T&& item) GODWIT_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (closed_ || items_.size() >= capacity_) return false;
    put(std::move(item));
    return true;
  }

  // Nothing if the queue is empty.
  [[nodiscard]] std::optional<T> try_pop() GODWIT_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (items_.empty()) return std::nullopt;
    return take();
  }

  // From now on nothing goes in; what is in still comes out, then pop() says kClosed. Wakes all.
  void close() GODWIT_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  std::size_t size() const GODWIT_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return items_.size();
  }
  std::size_t capacity() const { return capacity_; }

 private:
  void put(T&& item) GODWIT_REQUIRES(mutex_) {
    items_.push_back(std::move(item));
    filled_.notify_one();
  }
  T take() GODWIT_REQUIRES(mutex_) {
    T item = std::move(items_.front());
    items_.pop_front();
    room_.notify_one();
    return item;
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  CondVar room_;
  CondVar filled_;
  std::deque<T> items_ GODWIT_GUARDED_BY(mutex_);
  bool closed_ GODWIT_GUARDED_BY(mutex_) = false;
};

}  // namespace godwit
