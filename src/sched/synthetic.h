// sched/synthetic.h: made-up jobs with the ranges of the paper's experiments. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/instance.h"

namespace godwit {

struct SyntheticSpec {
  int jobs = 50;
  int slots = 20;
  std::array<double, 3> mix{10, 55, 35};  // %: insensitive, sensitive, critical
  double scale = 0.04;  // of the data sets: with 1 most jobs cannot end within 20 slots
  double slot_seconds = 1200;
  double internal_gbit = 80;  // a second, on one machine
};

// "jobs=100,slots=20,mix=10/55/35,scale=0.04,slot=1200,internal=80"; what is left out keeps its
// value. kInvalidArgument names the key, and the nearest known one.
Result<SyntheticSpec> parse_synthetic(std::string_view text);

// The same spec and seed give the same jobs. Demands are of "gpu", "cpu", "memory" and "storage" as
// far as the cluster has them. Errors of settle_jobs().
Result<Instance> make_synthetic(const SyntheticSpec& spec, const Cluster& cluster,
                                std::uint64_t seed);

}  // namespace godwit
