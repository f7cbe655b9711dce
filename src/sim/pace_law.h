// sim/pace_law.h: laws of delay, and the problem that is learned under each: the settings that ways
// of pacing are compared in. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/prng.h"
#include "sim/least_squares.h"

namespace godwit::sim {

struct PaceLaw {
  std::string_view name;
  std::string_view text;
  double comm_mean = 1;
  double compute_mean = 1;         // of a full load
  double constant_share = 0;       // of each mean; the rest is exponential
  bool is_pareto = false;          // of index 1.5 instead: its variance is infinite
  double slow_chance = 0;          // that a single delay is ten times as long
  std::uint32_t slow_workers = 0;  // the first ones: ten times the computation, always
  bool cancels = true;             // late workers drop their work; else they end it first
  LeastSquaresOptions problem;
  double learning_rate = 1e-4;
};

// A to K.
std::span<const PaceLaw> pace_laws();
// Null if there is none of that name.
const PaceLaw* find_pace_law(std::string_view name);

// One communication, or one computation of a full load, in seconds.
double draw_comm(const PaceLaw& law, Prng& prng);
double draw_compute(const PaceLaw& law, std::uint32_t worker, Prng& prng);

}  // namespace godwit::sim
