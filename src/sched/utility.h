// sched/utility.h: what it is worth to finish a job some slots after it came. Values; pure.
#pragma once

#include <cmath>
#include <cstdint>

namespace godwit {

// Never grows with the duration.
struct Utility {
  enum class Kind : std::uint8_t { kSigmoid, kDeadline, kConstant };

  Kind kind = Kind::kConstant;
  double priority = 1;  // theta1
  double urgency = 0;   // theta2, a slot
  double target = 0;    // theta3, in slots: of a deadline, the last duration that is in time

  // `duration` is the slot of completion minus the slot of arrival.
  double at(double duration) const {
    switch (kind) {
      case Kind::kSigmoid:
        return priority / (1 + std::exp(urgency * (duration - target)));
      case Kind::kDeadline:
        return duration <= target ? priority : 0;
      case Kind::kConstant:
        return priority;
    }
    return 0;
  }

  // Whether being late is a miss: deadlines, and sigmoids as steep as those of critical jobs.
  bool has_deadline() const {
    return kind == Kind::kDeadline || (kind == Kind::kSigmoid && urgency >= 2);
  }
};

}  // namespace godwit
