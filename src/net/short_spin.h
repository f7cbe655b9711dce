// net/short_spin.h: whether to look again for a moment before going to sleep. Owned by one thread
// at a time.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/time_source.h"

namespace godwit {

// Waking a thread up on an idle core costs more than a short message takes to be answered
// (docs/adr/0006), so a thread that expects something soon does better to look for it. It stops to
// do so, for longer and longer, when nothing comes: a quiet node does not spin.
class ShortSpin {
 public:
  // About what going to sleep and being woken up costs together.
  static constexpr Duration kLength = std::chrono::microseconds(50);
  // Who gets the processor back later than this had to share it.
  static constexpr Duration kYieldMax = std::chrono::microseconds(5);

  // Whether to try it this time; then tell() must follow.
  bool is_worth_it() {
    if (skips_left_ == 0) return true;
    --skips_left_;
    return false;
  }
  void tell(bool did_pay) {
    skips_ = did_pay ? 0 : std::clamp(2 * skips_, 1, kSkipsMax);
    skips_left_ = skips_;
  }

 private:
  static constexpr int kSkipsMax = 128;
  int skips_ = 0;
  int skips_left_ = 0;
};

}  // namespace godwit
