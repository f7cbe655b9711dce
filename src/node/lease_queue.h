// node/lease_queue.h: leases by a tick of each, the earliest first; of those of one tick, the one
// that came first. Guarded by the lock of the worker's node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

class LeaseState;

// A heap: leases that come in the order of their ticks, as most do, cost next to nothing, and
// nothing is allocated for one.
class LeaseQueue {
 public:
  using LeasePtr = std::shared_ptr<LeaseState>;

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The earliest. REQUIRES: not empty.
  Tick next() const { return heap_.front().at; }
  const LeasePtr& front() const { return heap_.front().lease; }

  void push(Tick at, LeasePtr lease) {
    heap_.push_back({at, pushed_++, std::move(lease)});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  LeasePtr pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    LeasePtr lease = std::move(heap_.back().lease);
    heap_.pop_back();
    return lease;
  }
  template <class Fn>
  void erase_if(Fn&& fn) {
    std::erase_if(heap_, [&](const Entry& entry) { return fn(*entry.lease); });
    std::make_heap(heap_.begin(), heap_.end(), is_later);
  }
  // In no order.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Entry& entry : heap_) fn(*entry.lease);
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

  std::vector<Entry> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace godwit
