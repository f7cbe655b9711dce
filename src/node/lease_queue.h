// node/lease_queue.h: leases by a tick of each, the earliest first; of those of one tick, the one
// that came first. Guarded by the lock of the worker's node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

class LeaseState;

// Leases that come in the order of their ticks, as most do, go through a queue; others through a
// heap. Nothing is allocated for one.
class LeaseQueue {
 public:
  using LeasePtr = std::shared_ptr<LeaseState>;

  bool empty() const { return in_order_.empty() && heap_.empty(); }
  std::size_t size() const { return in_order_.size() + heap_.size(); }
  // The earliest. REQUIRES: not empty.
  Tick next() const { return first().at; }
  const LeasePtr& front() const { return first().lease; }

  void push(Tick at, LeasePtr lease) {
    Entry entry{at, pushed_++, std::move(lease)};
    if (in_order_.empty() || at >= in_order_.back().at) {
      in_order_.push_back(std::move(entry));
      return;
    }
    heap_.push_back(std::move(entry));
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  LeasePtr pop() {
    LeasePtr lease;
    if (is_heap_first()) {
      std::pop_heap(heap_.begin(), heap_.end(), is_later);
      lease = std::move(heap_.back().lease);
      heap_.pop_back();
    } else {
      lease = std::move(in_order_.front().lease);
      in_order_.pop_front();
    }
    return lease;
  }
  template <class Fn>
  void erase_if(Fn&& fn) {
    const auto is_meant = [&](const Entry& entry) { return fn(*entry.lease); };
    std::erase_if(in_order_, is_meant);
    std::erase_if(heap_, is_meant);
    std::make_heap(heap_.begin(), heap_.end(), is_later);
  }
  // In no order.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Entry& entry : in_order_) fn(entry.lease);
    for (const Entry& entry : heap_) fn(entry.lease);
  }

 private:
  struct Entry {
    Tick at;
    std::uint64_t number;
    LeasePtr lease;
  };
  static bool is_later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }
  bool is_heap_first() const {
    if (heap_.empty()) return false;
    return in_order_.empty() || is_later(in_order_.front(), heap_.front());
  }
  const Entry& first() const { return is_heap_first() ? heap_.front() : in_order_.front(); }

  std::deque<Entry> in_order_;
  std::vector<Entry> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace godwit
