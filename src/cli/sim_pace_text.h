// cli/sim_pace_text.h: what `godwit sim pace` shows: a table for each law, JSON lines, a picture,
// and whether the targets of the study are met. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/pace_law.h"
#include "sim/pace_study.h"

namespace godwit {

// All seeds of one way of pacing under one law.
struct PaceRuns {
  const sim::PaceLaw* law = nullptr;
  std::string policy;
  std::vector<std::uint64_t> seeds;
  std::vector<sim::PaceOutcome> outcomes;  // as seeds
};

// Median seconds until the i-th target; those that never reach it take for ever.
double median_seconds(const PaceRuns& runs, std::size_t target);
double median_assigned(const PaceRuns& runs);

// A table of medians for each law, in the order of their runs.
std::string pace_text(const std::vector<PaceRuns>& all);

// One line for one outcome.
std::string pace_json_line(const PaceRuns& runs, std::size_t seed);

// Error against time with k and load below it, a column for each law; of the first seed.
std::string pace_svg(const std::vector<PaceRuns>& all);

struct PaceVerdict {
  std::size_t judged = 0;           // demands
  std::vector<std::string> missed;  // a line each
};

// What is demanded of "auto": of law A a quarter of the time of the best fixed k, at most the time
// and 0.6 of the gradients of the oracle for k, and 0.7 of the gradients of auto with the full
// load; of laws E to H at most 1.5 times the time of the oracle. What was not run is not judged.
PaceVerdict judge_pace(const std::vector<PaceRuns>& all);

}  // namespace godwit
