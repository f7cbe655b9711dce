// group/patience.h: how to wait for what can only be looked at: soon with every look, then between
// turns of others on the processor, and at last now and then. Owned by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "base/time_source.h"

namespace godwit {

class Patience {
 public:
  // So long it only gives its processor away between looks. Far beyond what a message takes: who is
  // waited for longer computes, or stands still.
  static constexpr Duration kAwake = std::chrono::milliseconds(20);

  // `is_crowded`: there are more ranks than processors, so who is waited for may need this one.
  Patience(const TimeSource& time, Time deadline, bool is_crowded)
      : time_(time), deadline_(deadline), looks_alone_(is_crowded ? kCrowdedLooks : kLooks) {}

  // After a look in vain. False once the deadline has passed.
  bool goes_on() {
    if (++looks_ < looks_alone_) return true;
    if (is_drowsy_) {
      nap();
    } else {
      std::this_thread::yield();
    }
    return (!is_drowsy_ && looks_ % kLooksPerClock != 0) || look_at_clock();
  }
  // Every now and then, for what need not be done with every look. After a nap always: what a look
  // costs is little beside it.
  bool is_round() const { return is_drowsy_ || looks_ % kLooksPerRound == 0; }
  // More seldom, for what costs a call of the system.
  bool is_long_round() const {
    const std::uint64_t looks = is_drowsy_ ? kNapsPerLongRound : kLooksPerLongRound;
    return looks_ % looks == looks - 1;
  }

 private:
  static constexpr std::uint64_t kLooks = 2000;  // some 20 us
  static constexpr std::uint64_t kCrowdedLooks = 10;
  static constexpr std::uint64_t kLooksPerClock = 16;
  static constexpr std::uint64_t kLooksPerRound = 32;
  static constexpr std::uint64_t kLooksPerLongRound = 1024;
  static constexpr std::uint64_t kNapsPerLongRound = 16;
  static constexpr long kNapNs = 50'000;  // and as much again, by which the system is late

  bool look_at_clock() {
    const Time now = time_.now();
    if (awake_until_ == Time::max()) awake_until_ = now + kAwake;
    is_drowsy_ = now >= awake_until_;
    return now < deadline_;
  }
  static void nap() {
    const timespec length{.tv_sec = 0, .tv_nsec = kNapNs};
    // Memory has no event to wait for. A nap that a signal ends is over.
    ::nanosleep(&length, nullptr);
  }

  const TimeSource& time_;
  const Time deadline_;
  const std::uint64_t looks_alone_;
  std::uint64_t looks_ = 0;
  Time awake_until_ = Time::max();  // known with the first look at the clock
  bool is_drowsy_ = false;
};

}  // namespace godwit
