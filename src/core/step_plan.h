// core/step_plan.h: what the options of steps say, understood. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "godwit/result.h"
#include "godwit/steps.h"

namespace godwit {

struct StepPlan {
  enum class Pace : std::uint8_t { kAuto, kFixed, kAdaptiveK };

  Pace pace = Pace::kAuto;
  std::uint32_t k = 0;                    // of kFixed; 0: all workers
  double load = 1;                        // of kFixed: share of the batch
  std::optional<std::uint32_t> late_max;  // steps; nothing: late results are dropped

  // kInvalidArgument naming what is wrong.
  static Result<StepPlan> of(const StepOptions& options);
};

// What all nodes must say of steps alike, in words. REQUIRES: check_steps(options).
std::string describe_steps(const StepOptions& options);

}  // namespace godwit
