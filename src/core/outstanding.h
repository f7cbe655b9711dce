// core/outstanding.h: which of a node's numbered items are not acknowledged yet, or which of its
// numbered leases have not ended. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <deque>

namespace godwit {

class Outstanding {
 public:
  explicit Outstanding(std::uint64_t first = 1) : lowest_(first) {}

  // The number of the next one, from `first`.
  std::uint64_t begin() {
    is_open_.push_back(true);
    return lowest_ + is_open_.size() - 1;
  }
  // Harmless if it has ended already.
  void end(std::uint64_t number) {
    if (number < lowest_) return;
    is_open_[number - lowest_] = false;
    while (!is_open_.empty() && !is_open_.front()) {
      is_open_.pop_front();
      ++lowest_;
    }
  }

  // All below have ended.
  std::uint64_t lowest() const { return lowest_; }
  std::uint64_t last() const { return lowest_ + is_open_.size() - 1; }
  // All up to `number` have ended.
  bool has_ended(std::uint64_t number) const { return number < lowest_; }

 private:
  std::uint64_t lowest_;  // of those in is_open_
  std::deque<bool> is_open_;
};

}  // namespace godwit
