// sched/study.cc: the loop over seeds and policies, and its tables.
#include "sched/study.h"

#include <fmt/format.h>

#include <utility>

#include "base/json_text.h"
#include "base/try.h"
#include "report/text_table.h"
#include "sched/certificate.h"

namespace godwit {
namespace {

std::string with_interval(const std::vector<double>& values, int digits) {
  const double half = interval(values);
  if (values.size() < 2) return fmt::format("{:.{}f}", mean(values), digits);
  return fmt::format("{:.{}f} ±{:.{}f}", mean(values), digits, half, digits);
}

void fill_facts(const StudyOptions& options, const Instance& instance, StudyFacts& facts) {
  facts.instance = instance.name;
  facts.seeds = options.seeds;
  facts.slots = instance.slots;
  facts.slot_seconds = instance.slot_seconds;
  facts.machines = instance.cluster.machine_count();
  facts.jobs = instance.jobs.size();
  facts.load = instance.load(/*to_horizon=*/false);
  facts.class_mix = instance.class_mix();
  facts.estimate_error = options.simulation.estimate_error;
  facts.restart = options.simulation.restart;
  facts.failures = options.simulation.failures;
}

}  // namespace

std::vector<double> values_of(const PolicyRuns& runs, double SimMetrics::*field) {
  std::vector<double> values;
  for (const SimMetrics& metrics : runs.seeds) values.push_back(metrics.*field);
  return values;
}

Result<Study> run_study(const StudyOptions& options,
                        const std::function<Result<Instance>(std::uint64_t)>& make,
                        const TimeSource& time,
                        const std::function<void(const PolicyRuns&, std::uint64_t)>& on_run) {
  Study study;
  for (const std::string& policy : options.policies) study.runs.push_back({policy, {}, {}});
  bool is_first = true;
  for (const std::uint64_t seed : options.seeds) {
    GODWIT_TRY_ASSIGN(const Instance instance, make(seed));
    if (is_first) fill_facts(options, instance, study.facts);
    if (options.certify) {
      study.facts.bounds.push_back(utility_bound(instance));
    }
    SimulationOptions simulation = options.simulation;
    simulation.seed = seed;
    simulation.keep_plans = simulation.keep_plans && is_first;
    for (PolicyRuns& runs : study.runs) {
      GODWIT_TRY_ASSIGN(const std::unique_ptr<Policy> policy,
                        make_policy(runs.policy, options.settings, instance));
      SimulationOutcome outcome = simulate(instance, *policy, simulation, time);
      runs.seeds.push_back(metrics_of(instance, outcome));
      if (is_first) runs.last = std::move(outcome);
      on_run(runs, seed);
    }
    if (is_first) study.first = instance;
    is_first = false;
  }
  return study;
}

std::string facts_text(const StudyFacts& facts) {
  std::string seeds;
  for (const std::uint64_t seed : facts.seeds) seeds += fmt::format(" {}", seed);
  std::string text = fmt::format(
      "{}\njobs {}, machines H = {}, slots T = {} of {} s, load {:.2f}, classes {}\n"
      "seeds{}; estimate error {}, restart {} slots, failures {} a machine and slot\n",
      facts.instance, facts.jobs, facts.machines, facts.slots, facts.slot_seconds, facts.load,
      facts.class_mix, seeds, facts.estimate_error, facts.restart, facts.failures);
  if (!facts.bounds.empty()) {
    text += fmt::format("no schedule is worth more than {}\n", with_interval(facts.bounds, 1));
  }
  return text;
}

std::string study_text(const Study& study) {
  TextTable table({"policy", "utility", "finished", "JCT mean", "JCT p99", "of finished", "missed",
                   "used", "internal", "rho mean", "preempt", "p50 ms", "p99 ms", "slot p99"});
  for (const PolicyRuns& runs : study.runs) {
    const auto figure = [&](double SimMetrics::*field, int digits, double factor = 1) {
      std::vector<double> values = values_of(runs, field);
      for (double& value : values) value *= factor;
      return fmt::format("{:.{}f}", mean(values), digits);
    };
    table.add({runs.policy, with_interval(values_of(runs, &SimMetrics::utility), 1),
               figure(&SimMetrics::finished, 0, 100) + " %",
               with_interval(values_of(runs, &SimMetrics::jct_mean), 1),
               figure(&SimMetrics::jct_p99, 1), figure(&SimMetrics::jct_finished_mean, 1),
               figure(&SimMetrics::missed, 1, 100) + " %",
               figure(&SimMetrics::utilisation, 0, 100) + " %",
               figure(&SimMetrics::internal, 0, 100) + " %", figure(&SimMetrics::fairness_mean, 2),
               figure(&SimMetrics::preemptions, 2), figure(&SimMetrics::decision_p50_ms, 2),
               figure(&SimMetrics::decision_p99_ms, 2), figure(&SimMetrics::slot_p99_ms, 1)});
  }
  return facts_text(study.facts) + table.to_string();
}

std::string run_json(const StudyFacts& facts, const PolicyRuns& runs, std::size_t seed) {
  JsonText json;
  json.begin_object()
      .field("instance", facts.instance)
      .field("policy", runs.policy)
      .field("seed", facts.seeds[seed])
      .field("slots", facts.slots)
      .field("slot_seconds", facts.slot_seconds)
      .field("machines", facts.machines)
      .field("jobs", facts.jobs)
      .field("load", facts.load)
      .field("class_mix", facts.class_mix)
      .field("estimate_error", facts.estimate_error)
      .field("restart", facts.restart)
      .field("failures", facts.failures);
  if (seed < facts.bounds.size()) json.field("bound", facts.bounds[seed]);
  for (const MetricField& field : metric_fields()) {
    json.field(field.name, runs.seeds[seed].*field.field);
  }
  return json.end_object().take();
}

}  // namespace godwit
