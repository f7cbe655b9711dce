// pace/envelope.h: which k and load is best at which error, if the bound's constants are known.
// Pure; immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pace/pace_policy.h"
#include "pace/timing_table.h"

namespace godwit {

// A way to run steps, and what one takes.
struct TimedChoice {
  PaceChoice choice;
  double seconds = 0;
};

// All pairs of the table. REQUIRES: it was computed.
std::vector<TimedChoice> timed_choices(const TimingTable& table);

// A step with batch B brings the error e closer to a floor f = noise / B, at a rate (e - f) /
// seconds that is a line in e. Whoever is highest at e is best there, for every target: the upper
// envelope of the lines. Its sequence depends on the times alone; `noise` sets when to switch.
class Envelope {
 public:
  // Best as long as the error is above `until`; the last one's is 0.
  struct Part {
    TimedChoice timed;
    double until = 0;
  };

  // REQUIRES: choices are not empty and take more than 0 seconds; noise > 0.
  Envelope(std::vector<TimedChoice> choices, double noise);

  // From large errors to small ones.
  std::span<const Part> parts() const { return parts_; }
  const Part& at(double error) const;
  double floor(const PaceChoice& choice) const;

 private:
  std::vector<Part> parts_;
  double noise_;
};

}  // namespace godwit
