// clock/stable_tick.h: up to which tick the changes of all workers of the job are in the rows.
// Pure: no time, no threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/worker_ticks.h"
#include "godwit/ids.h"

namespace godwit {

// A node's changes up to its *flushed* tick are in the rows, at their owners. *Stable* is the
// lowest of all nodes': it never falls. A node that has no worker, and nothing on its way, does
// not count: its flushed tick is kEndOfTime. If none counts, all that anybody did is stable.
class StableTick {
 public:
  explicit StableTick(std::int64_t nodes) : flushed_(static_cast<std::size_t>(nodes), kNoTick) {}

  Tick stable() const { return stable_; }
  Tick flushed(NodeId node) const { return flushed_[index(node)]; }
  // Whose flushed tick is the lowest; of several, the first.
  NodeId slowest() const {
    const auto lowest = std::min_element(flushed_.begin(), flushed_.end());
    return NodeId{lowest - flushed_.begin()};
  }

  // These return whether stable has risen. What was heard before is not taken back by what says
  // less.
  bool hear(NodeId node, Tick flushed) {
    flushed_[index(node)] = std::max(flushed_[index(node)], flushed);
    if (flushed != kEndOfTime) last_ = std::max(last_, flushed);
    const Tick lowest = *std::min_element(flushed_.begin(), flushed_.end());
    return claim(lowest != kEndOfTime ? lowest : last_);
  }
  // Another node knows that stable is at least this.
  bool claim(Tick stable) {
    if (stable <= stable_) return false;
    stable_ = stable;
    return true;
  }
  // A node that did not count is about to have a worker, which begins after the present stable.
  void join(NodeId node) { flushed_[index(node)] = stable_; }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node.value()); }

  std::vector<Tick> flushed_;
  Tick last_ = kNoTick;  // the furthest of all, of those that did not count any more too
  Tick stable_ = kNoTick;
};

}  // namespace godwit
