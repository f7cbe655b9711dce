// sim/group_scenario.cc: the swarm of jobs with groups.
#include "sim/group_scenario.h"

#include <fmt/format.h>

#include <algorithm>

namespace godwit::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Rule draw_rule(ExchangeMode mode, Prng& prng) {
  if (mode == ExchangeMode::kElastic) return Rule::elastic(prng.below(2) == 0 ? 0.9F : 0.5F);
  if (mode == ExchangeMode::kOuter) return Rule::outer(0.5F, prng.below(2) == 0 ? 0.0F : 0.5F);
  switch (prng.below(3)) {
    case 0:
      return Rule::momentum(0.0625F);
    case 1:
      return Rule::adagrad(0.125F);
    default:
      return Rule::sgd(0.125F);
  }
}

void draw_tables(GroupScenario& scenario, Prng& prng) {
  const std::uint64_t tables = 1 + prng.below(2);
  for (std::uint64_t i = 0; i < tables; ++i) {
    scenario.tables.push_back({.name = fmt::format("t{}", i),
                               .rows = 1 + prng.below(12),
                               .row_length = 1 + static_cast<std::uint32_t>(prng.below(6)),
                               .rule = draw_rule(scenario.mode, prng),
                               .init = Init::uniform(1, prng.next()),
                               .placement = Placement::kStatic});
  }
}

void draw_troubles(GroupScenario& scenario, Prng& prng) {
  scenario.faults = draw_faults(prng);
  scenario.faults.wrong_guesses = 0;
  const std::uint64_t count = prng.below(5);
  for (std::uint64_t i = 0; i < count; ++i) {
    GroupTrouble trouble;
    trouble.group =
        static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(scenario.groups)));
    // Everybody has begun after a second; quick ones end soon after.
    trouble.after =
        microseconds(prng.below(2) == 0 ? 700'000 + prng.below(800'000) : prng.below(6'000'000));
    trouble.is_death = prng.below(3) != 0;
    trouble.lasts = milliseconds(1 + prng.below(prng.below(2) == 0 ? 300 : 30'000));
    scenario.troubles.push_back(trouble);
  }
}

}  // namespace

GroupScenario draw_group_scenario(std::uint64_t seed) {
  Prng prng(mix64(seed, 31));
  GroupScenario scenario;
  scenario.servers = 1 + static_cast<std::int64_t>(prng.below(3));
  scenario.groups = 1 + static_cast<std::int64_t>(prng.below(4));
  scenario.ranks = 1 + static_cast<std::int64_t>(prng.below(2));
  // Half of them in rounds, which are the hardest.
  scenario.mode = static_cast<ExchangeMode>(std::min<std::uint64_t>(prng.below(6), 3));
  draw_tables(scenario, prng);
  if (prng.below(3) == 0) {
    scenario.compression.codec = static_cast<ExchangeCodec>(1 + prng.below(3));
    scenario.compression.share = 0.3F;
  }
  scenario.patience.least = milliseconds(1000 + prng.below(4000));
  scenario.patience.first = seconds(5 + prng.below(20));
  scenario.steps = 3 + prng.below(60);
  scenario.compute_max = prng.below(2) == 0 ? Duration(milliseconds(2)) : milliseconds(400);
  draw_troubles(scenario, prng);
  return scenario;
}

void add_canary(GroupScenario& scenario) {
  scenario.lose_an_update = true;
  scenario.compression = {};
}

}  // namespace godwit::sim
