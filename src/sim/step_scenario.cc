// sim/step_scenario.cc: the swarm of jobs in steps.
#include "sim/step_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace godwit::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string draw_pace(Prng& prng, std::uint64_t workers) {
  switch (prng.below(6)) {
    case 0:
      return "fixed";
    case 1:
      return fmt::format("fixed:k={}", 1 + prng.below(workers));
    case 2:
      return fmt::format("fixed:k={},load={}", 1 + prng.below(workers + 2),
                         std::array{0.25, 0.5, 1.0}[prng.below(3)]);
    case 3:
      return "adaptive_k";
    default:
      return "auto";
  }
}

std::optional<std::uint32_t> draw_late(Prng& prng) {
  if (prng.below(2) == 0) return std::nullopt;
  return std::array{0U, 1U, 2U, 5U, 20U}[prng.below(5)];
}

Rule draw_rule(Prng& prng) {
  switch (prng.below(4)) {
    case 0:
      return Rule::momentum(0.0625F);
    case 1:
      return Rule::adagrad(0.125F);
    default:
      return Rule::sgd(0.125F);
  }
}

void draw_workers(StepScenario& scenario, Prng& prng) {
  const Duration sample = microseconds(1 + prng.below(prng.below(2) == 0 ? 100 : 5000));
  const bool is_even = prng.below(3) == 0;
  const std::uint32_t silences =
      prng.below(3) == 0 ? 1 + static_cast<std::uint32_t>(prng.below(8)) : 0;
  const Duration silence_max = prng.below(2) == 0 ? milliseconds(500) : seconds(40);
  const bool is_sparse = prng.below(3) == 0;
  for (std::int64_t node = 0; node < scenario.nodes; ++node) {
    // A node may be there to serve rows only.
    const bool has_none = node > 0 && prng.below(8) == 0;
    const std::uint64_t count = has_none ? 0 : 1 + prng.below(3);
    for (std::uint32_t number = 0; number < count; ++number) {
      StepWorkerPlan plan{.node = node, .number = number};
      plan.sample_max = sample;
      if (!is_even && prng.below(4) == 0) plan.sample_max *= std::array{2, 5, 20}[prng.below(3)];
      plan.silences = prng.below(2) == 0 ? silences : 0;
      plan.silence_max = silence_max;
      plan.is_sparse = is_sparse && prng.below(2) == 0;
      scenario.workers.push_back(plan);
    }
  }
  if (scenario.workers.size() > 1 && prng.below(6) == 0) {
    scenario.workers[prng.below(scenario.workers.size())].hangs = true;
  }
}

void draw_tables(StepScenario& scenario, Prng& prng) {
  const std::uint64_t tables = 1 + prng.below(2);
  for (std::uint64_t i = 0; i < tables; ++i) {
    scenario.tables.push_back({.name = fmt::format("t{}", i),
                               .rows = 1 + prng.below(10),
                               .row_length = 1 + static_cast<std::uint32_t>(prng.below(4)),
                               .rule = draw_rule(prng),
                               .init = Init::uniform(1, prng.next()),
                               .placement = Placement::kStatic});
  }
}

void draw_troubles(StepScenario& scenario, Prng& prng) {
  scenario.faults = draw_faults(prng);
  const std::uint64_t death = prng.below(12);
  scenario.death_after = microseconds(prng.below(3'000'000));
  if (death == 0) scenario.death = StepDeath::kServer;
  if (death <= 3 && scenario.servers < scenario.nodes) scenario.death = StepDeath::kOther;
  if (death == 4 && scenario.servers < scenario.nodes) scenario.death = StepDeath::kCut;
  // The workers of node 0 may be all that are left.
  for (StepWorkerPlan& plan : scenario.workers) {
    plan.hangs = plan.hangs && (plan.node > 0 || scenario.death == StepDeath::kNone);
  }
  // What is sent on by a node that dies is lost; without guesses nothing is.
  if (scenario.death != StepDeath::kNone) scenario.faults.wrong_guesses = 0;
  if (prng.below(8) == 0) scenario.stop_after = microseconds(prng.below(4'000'000));
}

}  // namespace

std::uint32_t StepScenario::workers_of(std::int64_t node) const {
  return static_cast<std::uint32_t>(
      std::count_if(workers.begin(), workers.end(),
                    [node](const StepWorkerPlan& plan) { return plan.node == node; }));
}

StepOptions StepScenario::options_of(std::uint64_t round) const {
  StepOptions of_round = options;
  of_round.first_epoch = round * options.epochs;
  if (round % 2 == 0 || !changes_options) return of_round;
  of_round.batch = options.batch / 2 + 1;
  of_round.pace = options.pace == "auto" ? "fixed" : "auto";
  return of_round;
}

bool StepScenario::has_idle_nodes() const {
  for (std::int64_t node = 0; node < nodes; ++node) {
    if (workers_of(node) == 0) return true;
  }
  return false;
}

StepScenario draw_step_scenario(std::uint64_t seed) {
  Prng prng(mix64(seed, 21));
  StepScenario scenario;
  scenario.nodes = 2 + static_cast<std::int64_t>(prng.below(5));
  scenario.servers =
      1 + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(scenario.nodes)));
  draw_workers(scenario, prng);
  draw_tables(scenario, prng);
  const std::uint32_t batch = 4 + static_cast<std::uint32_t>(prng.below(29));
  scenario.options = {
      .samples = std::min(1 + prng.below(2000), std::uint64_t{80} * batch),
      .batch = batch,
      .epochs = 1 + prng.below(2),
      .seed = prng.next(),
      .pace = draw_pace(prng, scenario.workers.size()),
  };
  scenario.late_max = draw_late(prng);
  if (scenario.late_max) scenario.options.late = fmt::format("apply:{}", *scenario.late_max);
  scenario.rounds = prng.below(4) == 0 ? 2 : 1;
  // A node without workers is not told that steps have ended.
  scenario.has_barriers = prng.below(2) == 0 || scenario.has_idle_nodes();
  scenario.looks = 1 + prng.below(6);
  scenario.begin_max = prng.below(2) == 0 ? Duration(microseconds(100)) : seconds(2);
  draw_troubles(scenario, prng);
  scenario.changes_options = prng.below(2) == 0;
  return scenario;
}

void add_canary(StepScenario& scenario) {
  scenario.lose_an_update = true;
  scenario.death = StepDeath::kNone;
  scenario.stop_after.reset();
}

}  // namespace godwit::sim
