// sim/pace_contender.cc: the names, and what is made of them.
#include "sim/pace_contender.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/parse_number.h"
#include "pace/adaptive_k.h"
#include "pace/auto_pace.h"
#include "pace/envelope_pace.h"
#include "pace/fixed_pace.h"

namespace godwit::sim {
namespace {

constexpr std::string_view kFixed = "fixed:";

std::optional<std::uint32_t> fixed_k(std::string_view name) {
  if (!name.starts_with(kFixed)) return std::nullopt;
  return parse_number<std::uint32_t>(name.substr(kFixed.size()));
}

std::vector<TimedChoice> full_load_only(std::vector<TimedChoice> choices, std::uint32_t load) {
  std::erase_if(choices, [&](const TimedChoice& timed) { return timed.choice.load != load; });
  return choices;
}

BoundConstants constants_of(const LeastSquares& problem, const PaceLaw& law) {
  return {.learning_rate = law.learning_rate,
          .smoothness = problem.smoothness(),
          .convexity = problem.convexity(),
          .sample_variance = problem.gradient_noise(),
          .first_error = problem.error(problem.start())};
}

}  // namespace

std::vector<PaceContenderName> pace_contender_names() {
  return {{"pflug", "adaptive k by the sign of consecutive gradients, 1 to all by a tenth"},
          {"pflug-40", "the same, from a fifth to four fifths by a fifth, as in its paper"},
          {"bound-k", "k by the error bound, with its true constants"},
          {"bound", "k and load by the error bound, with its true constants"},
          {"oracle-k", "k by the true error and the true times"},
          {"oracle", "k and load by the true error and the true times"},
          {"auto-k", "auto with the full load"},
          {"auto-slack", "auto, up to 20 % slower steps for less computation"},
          {"auto", "k and load, without any constant"}};
}

bool is_pace_contender(std::string_view name, const PaceRunOptions& options) {
  if (const auto k = fixed_k(name)) return *k >= 1 && *k <= options.workers;
  const auto names = pace_contender_names();
  return std::ranges::find(names, name, &PaceContenderName::name) != names.end();
}

PaceContender make_pace_contender(std::string_view name, const PaceRunOptions& options,
                                  const LeastSquares& problem, const PaceLaw& law,
                                  const std::vector<TimedChoice>& choices) {
  const std::uint32_t n = options.workers;
  const std::uint32_t load = options.full_load;
  PaceContender made;
  if (const auto k = fixed_k(name)) {
    made.policy = std::make_unique<FixedPace>(PaceChoice{*k, load});
  } else if (name == "pflug" || name == "pflug-40") {
    const std::uint32_t part = std::max(1U, name == "pflug" ? n / 10 : n / 5);
    made.policy = std::make_unique<AdaptiveK>(
        AdaptiveKOptions{.first_k = name == "pflug" ? 1 : part,
                         .step_k = part,
                         .last_k = name == "pflug" ? n : std::max(part, n * 4 / 5),
                         .load = load});
  } else if (name == "bound" || name == "bound-k") {
    made.policy = std::make_unique<EnvelopePace>(
        name == "bound" ? choices : full_load_only(choices, load), constants_of(problem, law));
  } else if (name == "oracle" || name == "oracle-k") {
    auto oracle =
        std::make_unique<OraclePace>(name == "oracle" ? choices : full_load_only(choices, load),
                                     problem.floor(law.learning_rate, 1));
    made.oracle = oracle.get();
    made.policy = std::move(oracle);
  } else {
    const LoadLadder ladder(load, name == "auto-k" ? 1 : LoadLadder::kRungs);
    made.timings = std::make_unique<PaceTimings>(n, ladder);
    made.policy = std::make_unique<AutoPace>(
        made.timings.get(), AutoPaceOptions{.compute_slack = name == "auto-slack" ? 0.2 : 0});
  }
  return made;
}

}  // namespace godwit::sim
