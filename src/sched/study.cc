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
  facts.resources = instance.cluster.resources;
}

bool is_certified(const StudyOptions& options, const Instance& instance) {
  const bool is_small = instance.cluster.machine_count() <= kCertifiedMachinesMax &&
                        instance.jobs.size() <= kCertifiedJobsMax;
  return options.certify.value_or(is_small);
}

// At the speeds that jobs really have, whatever is known of them: else a job that is faster than
// that could be worth more than the bound.
double bound_at_true_speeds(Instance instance, const SimulationOptions& simulation) {
  const std::vector<double> factors = speed_factors(instance.jobs.size(), simulation);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    instance.jobs[i].speed = instance.jobs[i].speed.scaled(factors[i]);
  }
  return utility_bound(instance);
}

// Means over seeds.
std::string figure(const PolicyRuns& runs, double SimMetrics::*field, int digits) {
  return fmt::format("{:.{}f}", mean(values_of(runs, field)), digits);
}
std::string percent(const std::vector<double>& shares, int digits = 0) {
  return fmt::format("{:.{}f} %", 100 * mean(shares), digits);
}
std::string percent(const PolicyRuns& runs, double SimMetrics::*field, int digits = 0) {
  return percent(values_of(runs, field), digits);
}

std::string main_table(const Study& study) {
  TextTable table({"policy", "utility", "finished", "JCT mean", "JCT p99", "of finished", "missed",
                   "used", "internal", "rho mean", "preempt"});
  for (const PolicyRuns& runs : study.runs) {
    table.add({runs.policy, with_interval(values_of(runs, &SimMetrics::utility), 1),
               percent(runs, &SimMetrics::finished),
               with_interval(values_of(runs, &SimMetrics::jct_mean), 1),
               figure(runs, &SimMetrics::jct_p99, 1),
               figure(runs, &SimMetrics::jct_finished_mean, 1),
               percent(runs, &SimMetrics::missed, 1), percent(runs, &SimMetrics::utilisation),
               percent(runs, &SimMetrics::internal), figure(runs, &SimMetrics::fairness_mean, 2),
               figure(runs, &SimMetrics::preemptions, 2)});
  }
  return table.to_string();
}

std::string further_table(const Study& study) {
  std::vector<std::string> header{"policy",   "admitted", "JCT p50", "of finished", "wait",
                                  "makespan", "rho max",  "Jain",    "moved"};
  for (const std::string& resource : study.facts.resources) header.push_back(resource);
  if (!study.facts.bounds.empty()) header.emplace_back("of bound");
  TextTable table(header);
  for (const PolicyRuns& runs : study.runs) {
    std::vector<std::string> row{runs.policy,
                                 percent(runs, &SimMetrics::admitted),
                                 figure(runs, &SimMetrics::jct_p50, 1),
                                 figure(runs, &SimMetrics::jct_finished_p50, 1),
                                 figure(runs, &SimMetrics::wait_mean, 1),
                                 figure(runs, &SimMetrics::makespan, 1),
                                 figure(runs, &SimMetrics::fairness_max, 1),
                                 figure(runs, &SimMetrics::jain, 2),
                                 figure(runs, &SimMetrics::reconfigurations, 2)};
    for (std::size_t r = 0; r < study.facts.resources.size(); ++r) {
      row.push_back(percent(used_of(runs, r)));
    }
    const std::vector<double> shares = shares_of_bound(study.facts, runs);
    if (!shares.empty()) row.push_back(percent(shares, 1));
    table.add(row);
  }
  return table.to_string();
}

std::string latency_table(const Study& study) {
  TextTable table({"ms of one", "arrival p50", "p99", "max", "slot's plan p50", "p99", "max"});
  for (const PolicyRuns& runs : study.runs) {
    table.add({runs.policy, figure(runs, &SimMetrics::decision_p50_ms, 2),
               figure(runs, &SimMetrics::decision_p99_ms, 2),
               figure(runs, &SimMetrics::decision_max_ms, 2),
               figure(runs, &SimMetrics::slot_p50_ms, 2), figure(runs, &SimMetrics::slot_p99_ms, 2),
               figure(runs, &SimMetrics::slot_max_ms, 2)});
  }
  return table.to_string();
}

}  // namespace

std::vector<double> values_of(const PolicyRuns& runs, double SimMetrics::*field) {
  std::vector<double> values;
  for (const SimMetrics& metrics : runs.seeds) values.push_back(metrics.*field);
  return values;
}

std::vector<double> used_of(const PolicyRuns& runs, std::size_t resource) {
  std::vector<double> values;
  for (const SimMetrics& metrics : runs.seeds) values.push_back(metrics.used_each[resource]);
  return values;
}

std::vector<double> shares_of_bound(const StudyFacts& facts, const PolicyRuns& runs) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < facts.bounds.size() && i < runs.seeds.size(); ++i) {
    // Where there is nothing to be had, nothing is all of it.
    shares.push_back(facts.bounds[i] > 0 ? runs.seeds[i].utility / facts.bounds[i] : 1);
  }
  return shares;
}

Result<Study> run_study(const StudyOptions& options,
                        const std::function<Result<Instance>(std::uint64_t)>& make,
                        const TimeSource& time,
                        const std::function<void(const PolicyRuns&, std::uint64_t)>& on_run) {
  Study study;
  for (const std::string& policy : options.policies) study.runs.push_back({policy, {}, {}});
  bool is_first = true;
  bool certify = false;
  for (const std::uint64_t seed : options.seeds) {
    GODWIT_TRY_ASSIGN(const Instance instance, make(seed));
    if (is_first) {
      fill_facts(options, instance, study.facts);
      certify = is_certified(options, instance);
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
    if (certify) study.facts.bounds.push_back(bound_at_true_speeds(instance, simulation));
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
  return facts_text(study.facts) + main_table(study) + "\n" + further_table(study) + "\n" +
         latency_table(study);
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
  if (seed < facts.bounds.size()) {
    json.field("bound", facts.bounds[seed]).field("of_bound", shares_of_bound(facts, runs)[seed]);
  }
  for (const MetricField& field : metric_fields()) {
    json.field(field.name, runs.seeds[seed].*field.field);
  }
  for (std::size_t r = 0; r < facts.resources.size(); ++r) {
    json.field("used_" + facts.resources[r], runs.seeds[seed].used_each[r]);
  }
  return json.end_object().take();
}

}  // namespace godwit
