// sched/simulator.h: runs one policy on one instance, slot by slot. Owned by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time_source.h"
#include "sched/instance.h"
#include "sched/policy.h"

namespace godwit {

struct SimulationOptions {
  double restart = 0;         // slots lost by a job that starts or whose placement changes
  double estimate_error = 0;  // sigma of the logarithm of true by known speed
  double failures = 0;        // expected, of a machine and slot
  int repair_slots = 4;
  std::uint64_t seed = 1;   // of errors and failures: the same for all policies
  bool keep_plans = false;  // for pictures
};

struct JobOutcome {
  Verdict verdict = Verdict::kQueued;
  bool is_finished = false;
  int completion = -1;  // slot
  double finished = 0;  // when, in slots; the horizon if it did not
  double utility = 0;
  int first_run = -1;  // slot
  int slots_run = 0;
  int slots_internal = 0;
  int preemptions = 0;       // ran, and then did not, unfinished
  int reconfigurations = 0;  // went on with another placement
  double fairness = 0;       // time taken by that in an equal share of the cluster
};

struct SimulationOutcome {
  std::vector<JobOutcome> jobs;      // as in the instance
  int slots = 0;                     // that were simulated: all jobs finished, or the horizon
  std::vector<double> used;          // by slot: share of the resource that is used most
  std::vector<Resources> used_each;  // by slot: share of each resource
  std::vector<double> utility;       // by slot: sum of what was gained until then
  std::vector<SlotPlan> plans;       // by slot, if kept
  std::vector<double> decision_ms;   // by arrival
  std::vector<double> slot_ms;       // by slot
  int machine_failures = 0;
};

// By job: true by known speed in a simulation with these options.
std::vector<double> speed_factors(std::size_t jobs, const SimulationOptions& options);

// Checks in each slot that the policy keeps to capacities, worker bounds and machines that are up;
// it is our bug if not. `time` measures how long decisions take, nothing else.
SimulationOutcome simulate(const Instance& instance, Policy& policy,
                           const SimulationOptions& options, const TimeSource& time);

}  // namespace godwit
