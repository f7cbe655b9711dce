// node/schedule.h: the leases of one worker, by the ticks in which they are used. Guarded by the
// lock of the worker's node.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/leases.h"
#include "godwit/ids.h"
#include "placement/action_timer.h"

namespace godwit {

class SessionState;

// What stands behind a Lease. Guarded by the lock of its node, but for what is said to be not.
class LeaseState {
 public:
  enum class Phase : std::uint8_t {
    kQueued,  // too early to act on it
    kActive,  // its rows are here or on their way
    kEnded,
  };

  std::shared_ptr<SessionState> session;  // not changed
  Tick first;
  Tick last;
  Phase phase = Phase::kQueued;
  LeaseRows rows;  // read by the worker's thread without the lock once is_ready
  // All rows are here: stays so until the lease ends.
  std::atomic<bool> is_ready{false};
  std::atomic<bool> is_open{false};
  std::vector<float*> places;  // the worker's thread's: of an open lease
};

class Schedule {
 public:
  using LeasePtr = std::shared_ptr<LeaseState>;

  // Whether an intent that begins at `first` is to be acted on now.
  bool is_due(Tick first) const { return first.value() <= tick_.value() + timer_.horizon(); }
  void queue(LeasePtr lease) { queued_.emplace(lease->first, std::move(lease)); }
  void activate(LeasePtr lease) { active_.push_back(std::move(lease)); }

  // The worker's tick ended: takes those out that are due, and those whose last tick that was.
  void advance(Tick now_at, Time now);
  std::vector<LeasePtr> take_due();
  std::vector<LeasePtr> take_ended();
  std::vector<LeasePtr> take_all();

  const std::vector<LeasePtr>& active() const { return active_; }
  Tick tick() const { return tick_; }
  ActionTimer& timer() { return timer_; }

  std::uint64_t actions_noted = 0;  // of the node's, so far
  Time served;                      // when the worker looked for frames last; not guarded

 private:
  Tick tick_{0};
  ActionTimer timer_;
  std::multimap<Tick, LeasePtr> queued_;
  std::vector<LeasePtr> active_;
};

}  // namespace godwit
