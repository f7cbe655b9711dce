// cli/sim_pace_verb.cc: `godwit sim pace`: ways to wait for workers, compared on a simulated clock.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "cli/command_line.h"
#include "cli/sim_pace_text.h"
#include "cli/verbs.h"
#include "sim/pace_contender.h"
#include "sim/pace_law.h"
#include "sim/pace_study.h"

namespace godwit {
namespace {

struct SimPaceOptions {
  std::vector<std::string> laws{"A", "E", "F", "G", "H"};
  std::vector<std::string> policies{"fixed:10", "fixed:20", "fixed:30", "fixed:40", "fixed:50",
                                    "oracle-k", "oracle",   "auto-k",   "auto"};
  std::uint64_t seeds = 5;
  bool quick = false;
  bool json = false;
  bool verify = false;
  std::string plot;
};

sim::PaceStudyOptions study_options(bool quick) {
  if (!quick) return {};
  return {.steps_max = 20'000, .dimension_max = 20, .samples_max = 2000};
}

std::string policies_text() {
  std::string text = "fixed:K";
  for (const sim::PaceContenderName& known : sim::pace_contender_names()) {
    text += fmt::format(", {}", known.name);
  }
  return text;
}

// What is wrong with the names that were given; empty if nothing is.
std::string wrong_names(const SimPaceOptions& options) {
  for (const std::string& name : options.laws) {
    if (sim::find_pace_law(name) != nullptr) continue;
    std::string known;
    for (const sim::PaceLaw& law : sim::pace_laws()) {
      known += fmt::format("\n  {}  {}", law.name, law.text);
    }
    return fmt::format("there is no law '{}'; there are, besides all:{}", name, known);
  }
  std::vector<std::string> known{"fixed:20"};
  for (const sim::PaceContenderName& name : sim::pace_contender_names()) {
    known.emplace_back(name.name);
  }
  const std::uint32_t workers = study_options(options.quick).run.workers;
  for (const std::string& name : options.policies) {
    if (sim::is_pace_contender(name, study_options(options.quick).run)) continue;
    if (name.starts_with("fixed")) {
      return fmt::format("'{}' is not fixed:K with K from 1 to {}", name, workers);
    }
    return fmt::format("there is no policy '{}'{}; there are {}", name, did_you_mean(name, known),
                       policies_text());
  }
  return "";
}

std::vector<PaceRuns> run_all(const SimPaceOptions& options, std::ostream& out, std::ostream& err) {
  sim::PaceStudy study(study_options(options.quick));
  std::vector<PaceRuns> all;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& name : options.laws) {
    const sim::PaceLaw* law = sim::find_pace_law(name);
    const std::size_t first = all.size();
    for (const std::string& policy : options.policies) all.push_back({law, policy, {}, {}});
    for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
      for (std::size_t i = first; i < all.size(); ++i) {
        all[i].seeds.push_back(seed);
        all[i].outcomes.push_back(study.run(*law, all[i].policy, seed));
        if (options.json) out << pace_json_line(all[i], seed - 1) << std::endl;
      }
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      err << fmt::format("law {}, seed {} of {}, {:.0f} s", name, seed, options.seeds,
                         passed.count())
          << std::endl;
    }
  }
  return all;
}

int run_sim_pace(SimPaceOptions options, std::ostream& out, std::ostream& err) {
  if (options.laws == std::vector<std::string>{"all"}) {
    options.laws.clear();
    for (const sim::PaceLaw& law : sim::pace_laws()) options.laws.emplace_back(law.name);
  }
  if (const std::string wrong = wrong_names(options); !wrong.empty()) {
    err << "godwit sim pace: " << wrong << "\n";
    return kExitUsage;
  }
  std::ofstream plot;
  if (!options.plot.empty()) {
    plot.open(options.plot);
    if (!plot) {
      err << "godwit sim pace: cannot write " << options.plot << "\n";
      return kExitUsage;
    }
  }
  const std::vector<PaceRuns> all = run_all(options, out, err);
  if (!options.json) out << pace_text(all);
  if (plot.is_open()) {
    plot << pace_svg(all);
    plot.close();
    if (!plot) {
      err << "godwit sim pace: could not write all of " << options.plot << "\n";
      return kExitFailed;
    }
  }
  if (!options.verify) return kExitOk;
  const PaceVerdict verdict = judge_pace(all);
  for (const std::string& line : verdict.missed) err << line << "\n";
  if (verdict.judged == 0) {
    err << "nothing was judged: what is demanded is about auto beside other policies, under laws A "
           "and E to H\n";
    return kExitFailed;
  }
  if (verdict.missed.empty()) err << fmt::format("all {} targets are met\n", verdict.judged);
  return verdict.missed.empty() ? kExitOk : kExitFailed;
}

}  // namespace

void add_sim_pace_verb(CLI::App& sim, Action& action) {
  CLI::App* verb =
      sim.add_subcommand("pace", "wait for k of n workers: ways to choose k and load, compared");
  auto options = std::make_shared<SimPaceOptions>();
  verb->add_option("--law", options->laws, "laws of delay: A,E,F, or all")
      ->delimiter(',')
      ->capture_default_str();
  verb->add_option("--policies", options->policies, policies_text())
      ->delimiter(',')
      ->capture_default_str();
  verb->add_option("--seeds", options->seeds, "how many")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_flag("--quick", options->quick,
                 "a small problem, one law and seed: whether it works, not how well");
  verb->add_flag("--json", options->json, "one JSON object a run instead of tables");
  verb->add_flag("--verify", options->verify, "fail unless auto is as good as it is meant to be");
  verb->add_option("--plot", options->plot, "write error, k and load over time to this SVG file");
  verb->callback([options, verb, &action] {
    if (options->quick && verb->count("--law") == 0) options->laws = {"A"};
    if (options->quick && verb->count("--seeds") == 0) options->seeds = 1;
    action = [options](std::ostream& out, std::ostream& err) {
      return run_sim_pace(*options, out, err);
    };
  });
}

}  // namespace godwit
