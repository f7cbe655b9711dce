// sim/pace_study.h: ways of pacing against each other under laws of delay: how long until the error
// is close to its floor, and what that takes. Deterministic; not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pace/envelope.h"
#include "sim/least_squares.h"
#include "sim/pace_law.h"
#include "sim/pace_run.h"

namespace godwit::sim {

// As multiples of the floor of 0.8 of all workers with the full load.
inline constexpr std::array kPaceTargets = {100.0, 10.0, 1.5};

struct PaceStudyOptions {
  PaceRunOptions run;
  std::uint64_t steps_max = 60'000;
  std::size_t dimension_max = 100;  // of the problem
  std::size_t samples_max = 20'000;
};

struct PaceTracePoint {
  double seconds = 0;
  double error = 0;  // in floors
  PaceChoice choice;
};

struct PaceOutcome {
  std::array<std::optional<PaceTotals>, kPaceTargets.size()> reached;
  PaceTotals totals;                  // at the end
  std::vector<PaceTracePoint> trace;  // now and again, and whenever the choice changes
};

// What runs share (the problem of a seed, the true times of a law) is kept for the next call: all
// policies of one law and seed in a row are fastest.
class PaceStudy {
 public:
  explicit PaceStudy(const PaceStudyOptions& options) : options_(options) {}

  // Until the last target is reached, or steps_max. REQUIRES: is_pace_contender(policy).
  PaceOutcome run(const PaceLaw& law, std::string_view policy, std::uint64_t seed);

  // All pairs of k and load with the means of their times, by drawing.
  const std::vector<TimedChoice>& true_times(const PaceLaw& law);
  const LeastSquares& problem(const PaceLaw& law, std::uint64_t seed);

 private:
  PaceStudyOptions options_;
  std::optional<LeastSquares> problem_;
  LeastSquaresOptions problem_options_;
  std::uint64_t problem_seed_ = 0;
  std::vector<TimedChoice> times_;
  std::string times_law_;
};

}  // namespace godwit::sim
