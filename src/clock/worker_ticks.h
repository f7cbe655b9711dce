// clock/worker_ticks.h: which tick each worker of one node is in. Pure: no time, no threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/ticks.h"
#include "godwit/ids.h"

namespace godwit {

class WorkerTicks {
 public:
  struct Place {
    WorkerId worker;
    Tick tick;
  };

  // So many workers are expected: they count from tick 0 on, before they have begun.
  explicit WorkerTicks(std::int64_t expected) {
    for (std::int64_t i = 0; i < expected; ++i) places_.push_back({WorkerId{i}, Tick{0}});
    if (expected > 0) last_ = Tick{0};
  }

  bool is_expected(WorkerId worker) const { return find(worker) != places_.end(); }
  void begin(WorkerId worker, Tick at) {
    GODWIT_CHECK(!is_expected(worker));
    places_.push_back({worker, at});
    last_ = std::max(last_, at);
  }
  // REQUIRES: it has begun or is expected, and its tick is not beyond `to`.
  void advance(WorkerId worker, Tick to) {
    const auto place = find(worker);
    GODWIT_CHECK(place != places_.end() && place->tick <= to);
    place->tick = to;
    last_ = std::max(last_, to);
  }
  void end(WorkerId worker) {
    const auto place = find(worker);
    if (place != places_.end()) places_.erase(place);
  }

  bool empty() const { return places_.empty(); }
  // Of several, the one that began first. REQUIRES: not empty.
  const Place& slowest() const {
    return *std::min_element(places_.begin(), places_.end(),
                             [](const Place& a, const Place& b) { return a.tick < b.tick; });
  }
  // The last tick that all have ended; kEndOfTime if there is nobody.
  Tick ended() const { return empty() ? kEndOfTime : Tick{slowest().tick.value() - 1}; }
  // The last tick that anybody was ever in; kNoTick if nobody was.
  Tick last() const { return last_; }
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place>::iterator find(WorkerId worker) {
    return std::find_if(places_.begin(), places_.end(),
                        [worker](const Place& place) { return place.worker == worker; });
  }
  std::vector<Place>::const_iterator find(WorkerId worker) const {
    return std::find_if(places_.begin(), places_.end(),
                        [worker](const Place& place) { return place.worker == worker; });
  }

  std::vector<Place> places_;
  Tick last_ = kNoTick;
};

}  // namespace godwit
