// sched/study.h: several policies on the same instances, and what comes of it for people and
// programs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "sched/instance.h"
#include "sched/policies.h"
#include "sched/sim_metrics.h"
#include "sched/simulator.h"

namespace godwit {

struct PolicyRuns {
  std::string policy;
  std::vector<SimMetrics> seeds;  // one a seed
  SimulationOutcome last;         // of the first seed, with its plans if they were kept
};

struct StudyFacts {
  std::string instance;
  std::vector<std::uint64_t> seeds;
  int slots = 0;
  double slot_seconds = 0;
  std::size_t machines = 0;
  std::size_t jobs = 0;
  double load = 0;        // of the first seed
  std::string class_mix;  // of the first seed
  double estimate_error = 0;
  double restart = 0;
  double failures = 0;
  std::vector<std::string> resources;  // of the cluster, in its order
  std::vector<double> bounds;          // by seed: no schedule is worth more; empty if not certified
};

struct Study {
  StudyFacts facts;
  Instance first;  // of the first seed
  std::vector<PolicyRuns> runs;
};

// Up to so many, a study is certified without being asked to: the bound then takes less than 10 s
// of a core a seed (measured: 9 s for 1,494 jobs, 20 machines and 5,641 slots; 1.3 s for 1,000, 100
// and 200; 22 s for 9,993, 100 and 301).
inline constexpr std::size_t kCertifiedMachinesMax = 100;
inline constexpr std::size_t kCertifiedJobsMax = 2000;

struct StudyOptions {
  std::vector<std::string> policies;
  std::vector<std::uint64_t> seeds;
  PolicySettings settings;
  SimulationOptions simulation;
  std::optional<bool> certify;  // none: as the size of the first instance allows
};

// `make` gives the instance of a seed; `on_run` hears of each run as it ends. Errors of `make` and
// make_policy().
Result<Study> run_study(const StudyOptions& options,
                        const std::function<Result<Instance>(std::uint64_t)>& make,
                        const TimeSource& time,
                        const std::function<void(const PolicyRuns&, std::uint64_t)>& on_run);

// What it was measured on, in lines.
std::string facts_text(const StudyFacts& facts);
// Tables of policies, means over seeds, some with 95 % intervals: what came of it, the other
// figures, how long decisions took.
std::string study_text(const Study& study);
// One JSON object: the facts, the policy, the seed and every figure.
std::string run_json(const StudyFacts& facts, const PolicyRuns& runs, std::size_t seed);
// The values of one figure, one a seed.
std::vector<double> values_of(const PolicyRuns& runs, double SimMetrics::*field);
// The use of one resource of the cluster, one a seed.
std::vector<double> used_of(const PolicyRuns& runs, std::size_t resource);
// Utility by bound, one a seed; empty if there are no bounds.
std::vector<double> shares_of_bound(const StudyFacts& facts, const PolicyRuns& runs);

}  // namespace godwit
