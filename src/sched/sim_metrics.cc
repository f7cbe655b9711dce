// sched/sim_metrics.cc: sums, quantiles and intervals.
#include "sched/sim_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace godwit {
namespace {

// 97.5 % quantiles of Student's t, by degrees of freedom from 1.
constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                              2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                              2.131,  2.120, 2.110, 2.101, 2.093, 2.086};

constexpr std::array kFields{
    MetricField{"utility", &SimMetrics::utility},
    MetricField{"finished", &SimMetrics::finished},
    MetricField{"admitted", &SimMetrics::admitted},
    MetricField{"jct_mean", &SimMetrics::jct_mean},
    MetricField{"jct_p50", &SimMetrics::jct_p50},
    MetricField{"jct_p99", &SimMetrics::jct_p99},
    MetricField{"jct_finished_mean", &SimMetrics::jct_finished_mean},
    MetricField{"jct_finished_p50", &SimMetrics::jct_finished_p50},
    MetricField{"jct_finished_p99", &SimMetrics::jct_finished_p99},
    MetricField{"wait_mean", &SimMetrics::wait_mean},
    MetricField{"makespan", &SimMetrics::makespan},
    MetricField{"utilisation", &SimMetrics::utilisation},
    MetricField{"internal", &SimMetrics::internal},
    MetricField{"fairness_mean", &SimMetrics::fairness_mean},
    MetricField{"fairness_max", &SimMetrics::fairness_max},
    MetricField{"jain", &SimMetrics::jain},
    MetricField{"missed", &SimMetrics::missed},
    MetricField{"preemptions", &SimMetrics::preemptions},
    MetricField{"reconfigurations", &SimMetrics::reconfigurations},
    MetricField{"decision_p50_ms", &SimMetrics::decision_p50_ms},
    MetricField{"decision_p99_ms", &SimMetrics::decision_p99_ms},
    MetricField{"decision_max_ms", &SimMetrics::decision_max_ms},
    MetricField{"slot_p50_ms", &SimMetrics::slot_p50_ms},
    MetricField{"slot_p99_ms", &SimMetrics::slot_p99_ms},
    MetricField{"slot_max_ms", &SimMetrics::slot_max_ms},
};

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

void add_times(const Instance& instance, const SimulationOutcome& outcome, SimMetrics& metrics) {
  std::vector<double> all;
  std::vector<double> finished;
  std::vector<double> waits;
  for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
    const JobOutcome& job = outcome.jobs[i];
    const double time = job.finished - instance.jobs[i].arrived;
    all.push_back(time);
    if (job.is_finished) {
      finished.push_back(time);
      metrics.makespan = std::max(metrics.makespan, job.finished);
    }
    if (job.first_run >= 0) waits.push_back(job.first_run - instance.jobs[i].arrived);
  }
  metrics.jct_mean = mean(all);
  metrics.jct_p50 = quantile(all, 0.5);
  metrics.jct_p99 = quantile(all, 0.99);
  metrics.jct_finished_mean = mean(finished);
  metrics.jct_finished_p50 = quantile(finished, 0.5);
  metrics.jct_finished_p99 = quantile(finished, 0.99);
  metrics.wait_mean = mean(waits);
}

void add_fairness(const SimulationOutcome& outcome, SimMetrics& metrics) {
  double sum = 0;
  double squares = 0;
  for (const JobOutcome& job : outcome.jobs) {
    metrics.fairness_mean += job.fairness / static_cast<double>(outcome.jobs.size());
    metrics.fairness_max = std::max(metrics.fairness_max, job.fairness);
    const double fared = 1 / std::max(job.fairness, 1e-9);
    sum += fared;
    squares += fared * fared;
  }
  if (squares > 0) metrics.jain = sum * sum / (squares * static_cast<double>(outcome.jobs.size()));
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double rank = std::ceil(p * static_cast<double>(values.size())) - 1;
  return values[static_cast<std::size_t>(std::max(0.0, rank))];
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double interval(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const auto n = static_cast<double>(values.size());
  const double student = values.size() - 1 <= kStudent.size() ? kStudent[values.size() - 2] : 1.96;
  return student * std::sqrt(squares / (n - 1) / n);
}

std::span<const MetricField> metric_fields() {
  return kFields;
}

SimMetrics metrics_of(const Instance& instance, const SimulationOutcome& outcome) {
  SimMetrics metrics;
  std::size_t finished = 0;
  std::size_t refused = 0;
  std::size_t due = 0;
  std::size_t late = 0;
  double run = 0;
  double internal = 0;
  for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
    const JobOutcome& job = outcome.jobs[i];
    const Utility& utility = instance.jobs[i].utility;
    metrics.utility += job.utility;
    finished += job.is_finished ? 1 : 0;
    refused += job.verdict == Verdict::kRefused ? 1 : 0;
    if (instance.jobs[i].job_class == JobClass::kCritical) {
      ++due;
      const bool in_time =
          job.is_finished && job.completion - instance.jobs[i].arrival <= utility.target;
      late += in_time ? 0 : 1;
    }
    run += job.slots_run;
    internal += job.slots_internal;
    metrics.preemptions += job.preemptions;
    metrics.reconfigurations += job.reconfigurations;
  }
  const std::size_t jobs = outcome.jobs.size();
  metrics.preemptions /= std::max<double>(1, static_cast<double>(jobs));
  metrics.reconfigurations /= std::max<double>(1, static_cast<double>(jobs));
  metrics.finished = share(finished, jobs);
  metrics.admitted = 1 - share(refused, jobs);
  metrics.missed = share(late, due);
  metrics.internal = run > 0 ? internal / run : 0;
  add_times(instance, outcome, metrics);
  add_fairness(outcome, metrics);
  const auto busy = static_cast<std::size_t>(std::ceil(metrics.makespan));
  const std::size_t counted = std::min(outcome.used.size(), std::max<std::size_t>(1, busy));
  metrics.utilisation = mean(std::span(outcome.used).first(counted));
  for (const Resources& used : std::span(outcome.used_each).first(counted)) {
    add_to(metrics.used_each, used, 1 / static_cast<double>(counted));
  }
  metrics.decision_p50_ms = quantile(outcome.decision_ms, 0.5);
  metrics.decision_p99_ms = quantile(outcome.decision_ms, 0.99);
  metrics.decision_max_ms = quantile(outcome.decision_ms, 1);
  metrics.slot_p50_ms = quantile(outcome.slot_ms, 0.5);
  metrics.slot_p99_ms = quantile(outcome.slot_ms, 0.99);
  metrics.slot_max_ms = quantile(outcome.slot_ms, 1);
  return metrics;
}

}  // namespace godwit
