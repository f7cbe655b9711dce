// sched/sim_metrics.h: what a run comes to, in figures. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/instance.h"
#include "sched/simulator.h"

namespace godwit {

struct SimMetrics {
  double utility = 0;   // sum over finished jobs
  double finished = 0;  // share of all jobs
  double admitted = 0;  // share of all jobs that were not refused
  // Completion times in slots, from when a job came. Of all jobs: one that did not finish, or was
  // refused, counts until the horizon.
  double jct_mean = 0;
  double jct_p50 = 0;
  double jct_p99 = 0;
  double jct_finished_mean = 0;
  double jct_finished_p50 = 0;
  double jct_finished_p99 = 0;
  double wait_mean = 0;      // until the first slot it ran in, of those that ran
  double makespan = 0;       // slots
  double utilisation = 0;    // mean share of the resource used most, until the last completion
  Resources used_each{};     // the same of each resource
  double internal = 0;       // share of slots run on one machine, of jobs
  double fairness_mean = 0;  // time taken by that with an equal share; below 1 is better than fair
  double fairness_max = 0;
  double jain = 0;         // of how well jobs fared: 1 is equal
  double missed = 0;       // share of jobs with a deadline, or critical, that were late
  double preemptions = 0;  // a job
  double reconfigurations = 0;
  double decision_p50_ms = 0;  // of an arrival
  double decision_p99_ms = 0;
  double decision_max_ms = 0;
  double slot_p50_ms = 0;  // of planning a slot
  double slot_p99_ms = 0;
  double slot_max_ms = 0;
};

SimMetrics metrics_of(const Instance& instance, const SimulationOutcome& outcome);

// Of all: the smallest that a share p of them does not exceed. 0 if there are none.
double quantile(std::vector<double> values, double p);

// Half of the 95 % interval of the mean (Student's t); 0 for fewer than two.
double interval(std::span<const double> values);
double mean(std::span<const double> values);

// Every figure but `used_each` by its name, in the order of printing; those that do not end in _ms
// depend on the seed only.
struct MetricField {
  std::string_view name;
  double SimMetrics::*field;
};
std::span<const MetricField> metric_fields();

}  // namespace godwit
