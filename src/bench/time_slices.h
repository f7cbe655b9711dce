// bench/time_slices.h: timing of variants side by side, so that a noisy machine is noisy to all.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace godwit {

// One way to do the work: its slice `slice` on thread `thread`.
using Variant = std::function<void(std::size_t thread, std::size_t slice)>;

struct SliceOptions {
  std::size_t threads = 1;
  std::size_t repetitions = 5;  // at least
  double seconds_min = 0.3;     // go on repeating until this much time was measured
};

// Runs all variants in turn, again and again; slices are numbered on from `*next_slice`, so that
// none is repeated soon. Returns the best wall time of each variant in seconds.
std::vector<double> best_times(const std::vector<Variant>& variants, const SliceOptions& options,
                               std::size_t* next_slice);

}  // namespace godwit
