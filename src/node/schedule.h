// node/schedule.h: the leases of one worker, by the ticks in which they are used. Guarded by the
// lock of the worker's node.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/leases.h"
#include "godwit/ids.h"
#include "node/lease_queue.h"
#include "placement/action_timer.h"

namespace godwit {

class LeaseSchedule;
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
  LeaseSchedule* schedule = nullptr;  // while it is active
  LeaseRows rows;                     // read by the worker's thread without the lock once is_ready
  // All rows are here: stays so until the lease ends.
  std::atomic<bool> is_ready{false};
  std::atomic<bool> is_open{false};
  // The worker's thread's:
  std::vector<float*> places;  // of an open lease
  bool is_viewed = false;      // it is among its worker's LeaseSchedule::viewed
};

class LeaseSchedule {
 public:
  using LeasePtr = LeaseQueue::LeasePtr;

  // Whether an intent that begins at `first` is to be acted on now.
  bool is_due(Tick first) const { return first.value() <= tick_.value() + timer_.horizon(); }
  void queue(const LeasePtr& lease) { queued_.push(lease->first, lease); }
  void activate(const LeasePtr& lease);
  // One that is active has ended before its time.
  void note_ended();

  // The worker's tick ended: takes those out that are due, and those whose last tick that was.
  void advance(Tick now_at, Time now);
  // Valid until the next of these calls.
  std::vector<LeasePtr>& take_due();
  std::vector<LeasePtr>& take_ended();
  std::vector<LeasePtr>& take_all();

  // Those that are active, and some that have ended.
  const LeaseQueue& active() const { return active_; }
  Tick tick() const { return tick_; }
  ActionTimer& timer() { return timer_; }

  WorkerId worker;
  std::uint64_t actions_noted = 0;  // of the node's, so far
  // How long it has waited for others, in advance() and to read.
  Duration advance_wait{};
  Duration read_wait{};
  // The worker's thread's, not guarded:
  Time served;  // when it looked for frames last
  Duration serve_every{};
  std::vector<LeasePtr> opened;  // to be written to in several ticks, and not found to have ended
  void note_opened(const LeasePtr& lease, Tick tick);
  // Leases of bsp tables that were opened, each once, and not found to have ended.
  std::vector<std::weak_ptr<LeaseState>> viewed;
  void note_viewed(const LeasePtr& lease) {
    if (!std::exchange(lease->is_viewed, true)) viewed.push_back(lease);
  }

 private:
  Tick tick_{0};
  ActionTimer timer_;
  LeaseQueue queued_;
  LeaseQueue active_;
  std::size_t ended_ = 0;  // of the active ones
  std::vector<LeasePtr> taken_;
};

}  // namespace godwit
