// sim/clock_replay.h: what the rows of a bsp table must be: the changes of all workers, tick after
// tick, each tick in the order of nodes and their workers, applied by one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "godwit/ids.h"

namespace godwit::sim {

class ClockReplay {
 public:
  ClockReplay(std::uint64_t keys, std::size_t row_length) : length_(row_length), rows_(keys) {}

  // A worker has ended a tick in which it added this, after what was said before.
  void add(Tick tick, NodeId node, WorkerId worker, Key key, std::span<const float> added) {
    rows_[key].push_back({tick, node, worker, {added.begin(), added.end()}});
  }

  // The row with all changes of ticks up to `last`. REQUIRES: all have ended that.
  std::vector<float> row(Key key, Tick last) const {
    std::vector<const Added*> order;
    for (const Added& added : rows_[key]) {
      if (added.tick <= last) order.push_back(&added);
    }
    std::stable_sort(order.begin(), order.end(), [](const Added* a, const Added* b) {
      return std::tie(a->tick, a->node, a->worker) < std::tie(b->tick, b->node, b->worker);
    });
    std::vector<float> row(length_);
    for (const Added* added : order) {
      for (std::size_t i = 0; i < length_; ++i) row[i] += added->floats[i];
    }
    return row;
  }

 private:
  struct Added {
    Tick tick;
    NodeId node;
    WorkerId worker;
    std::vector<float> floats;
  };
  std::size_t length_;
  std::vector<std::vector<Added>> rows_;
};

}  // namespace godwit::sim
