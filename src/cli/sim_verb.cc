// cli/sim_verb.cc: `godwit sim`: whole jobs in this process, one seed each.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>

#include "base/parse_number.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "sim/clock_world.h"
#include "sim/group_world.h"
#include "sim/step_world.h"
#include "sim/world.h"

namespace godwit {
namespace {

struct SimOptions {
  std::string seeds = "1..100";
  bool json = false;
  bool canary = false;
  bool clocks = false;
  bool steps = false;
  bool groups = false;
  bool first_only = false;
};

struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// "7", or "1..2000" with both ends included.
std::optional<SeedRange> parse_seeds(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = parse_number<std::uint64_t>(text.substr(0, dots));
  const auto last =
      dots == std::string::npos ? first : parse_number<std::uint64_t>(text.substr(dots + 2));
  if (!first || !last || *first > *last) return std::nullopt;
  return SeedRange{*first, *last};
}

// What came of one seed.
struct Ended {
  std::optional<std::string> violation;
  std::uint64_t steps = 0;
  std::uint64_t trace = 0;
  sim::Faults faults;
};

template <class World, class Scenario>
Ended run_world(std::uint64_t seed, const Scenario& scenario) {
  World world(seed, scenario);
  const auto violation = world.run();
  return {violation, world.steps(), world.trace_hash(), scenario.faults};
}

Ended run_seed(std::uint64_t seed, const SimOptions& options) {
  if (options.clocks) {
    sim::ClockScenario scenario = sim::draw_clock_scenario(seed);
    scenario.lose_an_update = options.canary;
    return run_world<sim::ClockWorld>(seed, scenario);
  }
  if (options.steps) {
    sim::StepScenario scenario = sim::draw_step_scenario(seed);
    if (options.canary) sim::add_canary(scenario);
    return run_world<sim::StepWorld>(seed, scenario);
  }
  if (options.groups) {
    sim::GroupScenario scenario = sim::draw_group_scenario(seed);
    if (options.canary) sim::add_canary(scenario);
    return run_world<sim::GroupWorld>(seed, scenario);
  }
  sim::Scenario scenario = sim::draw_scenario(seed);
  if (options.canary) {
    scenario.kill_a_node = false;
    scenario.lose_an_update = true;
  }
  return run_world<sim::World>(seed, scenario);
}

// "godwit sim --seeds 7 --clocks": how to see it again.
std::string replay_line(std::uint64_t seed, const SimOptions& options) {
  return fmt::format("godwit sim --seeds {}{}{}{}{}", seed, options.clocks ? " --clocks" : "",
                     options.steps ? " --steps" : "", options.groups ? " --groups" : "",
                     options.canary ? " --canary" : "");
}

int run_sim(const SimOptions& options, std::ostream& out, std::ostream& err) {
  const auto seeds = parse_seeds(options.seeds);
  if (!seeds) {
    err << "godwit sim: '" << options.seeds << "' is not a range of seeds like 1..2000\n";
    return kExitUsage;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t run = 0;
  std::uint64_t failed = 0;
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
  for (std::uint64_t seed = seeds->first;; ++seed) {
    const Ended ended = run_seed(seed, options);
    steps += ended.steps;
    hash = mix64(hash, ended.trace);
    if (options.json) {
      out << fmt::format("{{\"seed\":{},\"ok\":{},\"steps\":{},\"trace\":\"{:016x}\"}}\n", seed,
                         !ended.violation, ended.steps, ended.trace);
    }
    if (ended.violation) {
      ++failed;
      err << fmt::format("seed {}: {}\n  faults: {}\n  replay: {}\n", seed, *ended.violation,
                         to_string(ended.faults), replay_line(seed, options));
    }
    ++run;
    if (seed == seeds->last || (ended.violation && options.first_only)) break;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!options.json) {
    out << fmt::format("{} seeds, {} steps, {:.1f} s, {} failed, trace {:016x}\n", run, steps,
                       elapsed.count(), failed, hash);
  }
  return failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

void add_sim_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("sim", "run whole jobs in this process, one seed each");
  auto options = std::make_shared<SimOptions>();
  verb->add_option("--seeds", options->seeds, "which: one, or a range A..B")->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object a seed instead of a summary");
  verb->add_flag("--clocks", options->clocks, "jobs whose reads may not be older than some ticks");
  verb->add_flag("--steps", options->steps, "jobs in steps that need not wait for every worker")
      ->excludes("--clocks");
  verb->add_flag("--groups", options->groups, "jobs with groups of ranks that die and come back")
      ->excludes("--clocks")
      ->excludes("--steps");
  verb->add_flag("--first-failure", options->first_only, "stop at the first seed that fails");
  verb->add_flag("--canary", options->canary, "lose an update on purpose: every seed must fail");
  add_sim_pace_verb(*verb, action);
  verb->callback([options, verb, &action] {
    if (!verb->get_subcommands().empty()) return;
    action = [options](std::ostream& out, std::ostream& err) {
      return run_sim(*options, out, err);
    };
  });
}

}  // namespace godwit
