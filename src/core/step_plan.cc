// core/step_plan.cc: reads "fixed:k=6,load=0.5" and "apply:10"; checks options and tables of steps.
#include "core/step_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/sample_order.h"
#include "base/try.h"
#include "clock/staleness.h"

namespace godwit {
namespace {

constexpr std::string_view kFixed = "fixed";
constexpr std::string_view kApply = "apply:";
constexpr std::uint32_t kLateMax = 1000;  // sums wait for so long to be counted

Error bad_pace(const std::string& pace) {
  return invalid_argument(
      "pace is '{}', but must be auto, adaptive_k, or fixed with k from 1 and load up to 1, as in "
      "fixed:k=6,load=0.5 (trainers know off too: wait for all)",
      pace);
}

Result<> read_fixed(const std::string& pace, std::string_view arguments, StepPlan& plan) {
  bool has_load = false;
  while (!arguments.empty()) {
    const std::string_view one = arguments.substr(0, arguments.find(','));
    arguments.remove_prefix(std::min(arguments.size(), one.size() + 1));
    if (one.starts_with("k=")) {
      const auto k = parse_number<std::uint32_t>(one.substr(2));
      if (!k || *k == 0 || plan.k > 0) return bad_pace(pace);
      plan.k = *k;
    } else if (one.starts_with("load=")) {
      const auto load = parse_number<double>(one.substr(5));
      if (!load || !(*load > 0 && *load <= 1) || has_load) return bad_pace(pace);
      plan.load = *load;
      has_load = true;
    } else {
      return bad_pace(pace);
    }
  }
  return {};
}

}  // namespace

Result<StepPlan> StepPlan::of(const StepOptions& options) {
  StepPlan plan;
  const std::string_view pace = options.pace;
  if (pace == "adaptive_k") {
    plan.pace = Pace::kAdaptiveK;
  } else if (pace == kFixed || pace.starts_with("fixed:")) {
    plan.pace = Pace::kFixed;
    const std::size_t begin = std::min(pace.size(), kFixed.size() + 1);
    GODWIT_TRY(read_fixed(options.pace, pace.substr(begin), plan));
  } else if (pace != "auto") {
    return bad_pace(options.pace);
  }
  const std::string_view late = options.late;
  if (late == "drop") return plan;
  const auto steps = late.starts_with(kApply)
                         ? parse_number<std::uint32_t>(late.substr(kApply.size()))
                         : std::nullopt;
  if (!steps || *steps > kLateMax) {
    return invalid_argument("late is '{}', but must be drop or apply:S, with S steps up to {}",
                            options.late, kLateMax);
  }
  plan.late_max = *steps;
  return plan;
}

Result<> check_steps(const StepOptions& options) {
  if (options.samples == 0) return invalid_argument("steps over no samples");
  if (options.batch == 0) return invalid_argument("the batch of a worker has no samples");
  if (options.epochs == 0) return invalid_argument("steps of no epochs");
  const std::uint64_t epochs_max = std::numeric_limits<std::uint64_t>::max() / options.samples;
  if (options.first_epoch >= epochs_max || options.epochs >= epochs_max - options.first_epoch) {
    return invalid_argument("{} epochs of {} samples cannot be counted", options.epochs,
                            options.samples);
  }
  if (!(options.compute_slack >= 0 && options.compute_slack <= 10)) {
    return invalid_argument("compute_slack is {}, but must be 0 to 10", options.compute_slack);
  }
  GODWIT_TRY_ASSIGN(const StepPlan plan, StepPlan::of(options));
  if (options.compute_slack > 0 && plan.pace != StepPlan::Pace::kAuto) {
    return invalid_argument("compute_slack is {}, but pace {} does not choose loads",
                            options.compute_slack, options.pace);
  }
  return {};
}

std::string describe_steps(const StepOptions& options) {
  const StepPlan plan = StepPlan::of(options).value();
  std::string pace = "auto";
  if (plan.pace == StepPlan::Pace::kAdaptiveK) pace = "adaptive_k";
  if (plan.pace == StepPlan::Pace::kFixed)
    pace = fmt::format("fixed:k={},load={}", plan.k, plan.load);
  return fmt::format(
      "{} samples, batch {}, epochs {} to {}, seed {}, pace {}, late {}, compute_slack {}",
      options.samples, options.batch, options.first_epoch, options.first_epoch + options.epochs,
      options.seed, pace, plan.late_max ? fmt::format("apply:{}", *plan.late_max) : "drop",
      options.compute_slack);
}

std::int64_t fixed_workers(const StepOptions& options) {
  return StepPlan::of(options).value().k;
}

Result<> check_step_table(const TableSpec& spec) {
  if (spec.rule.kind == RuleKind::kElastic || spec.rule.kind == RuleKind::kOuter) {
    return invalid_argument("table '{}' has rule {}, which takes no gradients", spec.name,
                            to_string(spec.rule));
  }
  if (spec.placement == Placement::kStatic && !is_bounded(spec.consistency)) return {};
  return invalid_argument(
      "table '{}' has placement {} and consistency {}, but steps need static and async", spec.name,
      to_string(spec.placement), to_string(spec.consistency));
}

std::uint64_t sample_at(const StepOptions& options, std::uint64_t position) {
  return SampleOrder(options.samples, options.seed).sample_at(position);
}

}  // namespace godwit
