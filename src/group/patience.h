// group/patience.h: how to wait for what can only be looked at: soon with every look, then between
// turns of others on the processor. Owned by one thread.
#pragma once

#include <cstdint>
#include <thread>

#include "base/time_source.h"

namespace godwit {

class Patience {
 public:
  // `is_crowded`: there are more ranks than processors, so who is waited for may need this one.
  Patience(const TimeSource& time, Time deadline, bool is_crowded)
      : time_(time), deadline_(deadline), looks_alone_(is_crowded ? kCrowdedLooks : kLooks) {}

  // After a look in vain. False once the deadline has passed.
  bool goes_on() {
    if (++looks_ < looks_alone_) return true;
    std::this_thread::yield();
    return looks_ % kLooksPerClock != 0 || time_.now() < deadline_;
  }
  // Every now and then, for what need not be done with every look.
  bool is_round() const { return looks_ % kLooksPerRound == 0; }
  // More seldom, for what costs a call of the system.
  bool is_long_round() const { return looks_ % kLooksPerLongRound == kLooksPerLongRound - 1; }

 private:
  static constexpr std::uint64_t kLooks = 2000;  // some 20 us
  static constexpr std::uint64_t kCrowdedLooks = 10;
  static constexpr std::uint64_t kLooksPerClock = 16;
  static constexpr std::uint64_t kLooksPerRound = 32;
  static constexpr std::uint64_t kLooksPerLongRound = 1024;

  const TimeSource& time_;
  const Time deadline_;
  const std::uint64_t looks_alone_;
  std::uint64_t looks_ = 0;
};

}  // namespace godwit
