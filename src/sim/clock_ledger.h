// sim/clock_ledger.h: what every worker has added to every key, and in which tick: what reads of
// bounded tables are checked against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "godwit/ids.h"

namespace godwit::sim {

class ClockLedger {
 public:
  ClockLedger(std::size_t workers, std::uint64_t keys)
      : workers_(workers), cells_(workers * keys) {}

  // Ticks of one worker do not go back.
  void issued(std::size_t worker, Key key, Tick tick) {
    std::vector<Entry>& cell = at(worker, key);
    const std::int64_t total = cell.empty() ? 0 : cell.back().total;
    if (cell.empty() || cell.back().tick != tick) {
      cell.push_back({tick, total + 1});
    } else {
      ++cell.back().total;
    }
  }
  std::int64_t total(std::size_t worker, Key key) const {
    const std::vector<Entry>& cell = at(worker, key);
    return cell.empty() ? 0 : cell.back().total;
  }
  // What an addition in a tick weighs: the weight of many tells of which ticks they are.
  static float weight(Tick tick) { return static_cast<float>(tick.value() + 1); }
  // Of the first `count` additions.
  float weight_of_first(std::size_t worker, Key key, std::int64_t count) const {
    float sum = 0;
    std::int64_t before = 0;
    for (const Entry& entry : at(worker, key)) {
      const std::int64_t taken = std::min(entry.total, count) - before;
      if (taken <= 0) break;
      sum += static_cast<float>(taken) * weight(entry.tick);
      before = entry.total;
    }
    return sum;
  }
  // Of ticks up to `tick`.
  std::int64_t through(std::size_t worker, Key key, Tick tick) const {
    const std::vector<Entry>& cell = at(worker, key);
    const auto after = std::upper_bound(cell.begin(), cell.end(), tick,
                                        [](Tick t, const Entry& entry) { return t < entry.tick; });
    return after == cell.begin() ? 0 : (after - 1)->total;
  }

 private:
  struct Entry {
    Tick tick;
    std::int64_t total = 0;
  };
  std::vector<Entry>& at(std::size_t worker, Key key) { return cells_[key * workers_ + worker]; }
  const std::vector<Entry>& at(std::size_t worker, Key key) const {
    return cells_[key * workers_ + worker];
  }

  std::size_t workers_;
  std::vector<std::vector<Entry>> cells_;
};

}  // namespace godwit::sim
