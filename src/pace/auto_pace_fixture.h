// pace/auto_pace_fixture.h: steps without learning, for tests of who is waited for: workers' times
// are drawn, losses and distances are given. Owned by one test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/prng.h"
#include "pace/auto_pace.h"

namespace godwit {

using DelayLaw = std::function<double(Prng&)>;

inline double exponential(Prng& prng) {
  return -std::log(1 - prng.uniform());
}
inline double constant(Prng& /*prng*/) {
  return 1;
}

// Steps without learning: times are drawn, losses and distances are given.
struct DrawnSteps {
  std::uint32_t workers = 50;
  DelayLaw comm = exponential;
  DelayLaw compute = exponential;  // of the full load
  double start = 0;                // that computing takes besides
  std::vector<double> slowness;    // of each worker; empty: 1
  double loss = 1;
  double distance = 1;                            // whatever the step: as at the floor
  bool answers = true;                            // distances are told
  std::function<double(const PaceChoice&)> took;  // null: as long as the k-th worker
  std::uint64_t step = 0;
  std::uint32_t live = workers;
  PaceTimings timings{workers, LoadLadder(40)};
  Prng prng{1};
  std::vector<PaceChoice> choices;
  std::uint64_t asked = 0;

  void run(AutoPace& pace, int steps) {
    for (int i = 0; i < steps; ++i, ++step) {
      choices.push_back(pace.choice(live));
      const bool wanted = pace.wants_distance(step);
      asked += wanted;
      std::vector<double> ends;
      for (std::uint32_t w = 0; w < live; ++w) {
        const double share = choices.back().load / 40.0;
        const double slow = slowness.empty() ? 1 : slowness[w];
        const DelayObservation seen{slow * comm(prng), slow * (start + share * compute(prng)),
                                    choices.back().load};
        timings.on_timing(step, w, seen);
        ends.push_back(seen.comm_seconds + seen.compute_seconds);
      }
      std::ranges::sort(ends);
      if (wanted && answers) pace.on_distance(step, distance);
      pace.on_step({.step = step,
                    .seconds = took ? took(choices.back()) : ends[choices.back().k - 1],
                    .mean_loss = loss,
                    .live = live});
    }
  }
};

}  // namespace godwit
