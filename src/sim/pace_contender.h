// sim/pace_contender.h: ways of pacing by name, made for one run.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "pace/envelope.h"
#include "pace/pace_policy.h"
#include "pace/pace_timings.h"
#include "sim/oracle_pace.h"
#include "sim/pace_law.h"
#include "sim/pace_run.h"

namespace godwit::sim {

struct PaceContenderName {
  std::string_view name;
  std::string_view text;
};
// Besides these, "fixed:K" for any K from 1 to the number of workers.
std::vector<PaceContenderName> pace_contender_names();
bool is_pace_contender(std::string_view name, const PaceRunOptions& options);

struct PaceContender {
  std::unique_ptr<PaceTimings> timings;
  std::unique_ptr<PacePolicy> policy;
  OraclePace* oracle = nullptr;  // the policy, if it must be told the error
};

// `choices` are all pairs with their true times. REQUIRES: is_pace_contender().
PaceContender make_pace_contender(std::string_view name, const PaceRunOptions& options,
                                  const LeastSquares& problem, const PaceLaw& law,
                                  const std::vector<TimedChoice>& choices);

}  // namespace godwit::sim
