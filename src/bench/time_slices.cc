// bench/time_slices.cc: interleaves variants and keeps their best times.
#include "bench/time_slices.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <limits>
#include <thread>

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

struct Interval {
  Clock::time_point begin;
  Clock::time_point end;
};

double run_slice(const Variant& variant, std::size_t threads, std::size_t slice) {
  std::vector<Interval> intervals(threads);
  const auto run = [&](std::size_t thread) {
    intervals[thread].begin = Clock::now();
    variant(thread, slice);
    intervals[thread].end = Clock::now();
  };
  if (threads == 1) {
    run(0);
  } else {
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> running;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        start.arrive_and_wait();
        run(thread);
      });
    }
  }
  Interval all = intervals.front();
  for (const Interval& interval : intervals) {
    all.begin = std::min(all.begin, interval.begin);
    all.end = std::max(all.end, interval.end);
  }
  return std::chrono::duration<double>(all.end - all.begin).count();
}

}  // namespace

std::vector<double> best_times(const std::vector<Variant>& variants, const SliceOptions& options,
                               std::size_t* next_slice) {
  std::vector<double> best(variants.size(), std::numeric_limits<double>::infinity());
  double measured = 0;
  for (std::size_t round = 0; round < options.repetitions || measured < options.seconds_min;
       ++round) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const double seconds = run_slice(variants[i], options.threads, (*next_slice)++);
      best[i] = std::min(best[i], seconds);
      measured += seconds;
    }
  }
  return best;
}

}  // namespace godwit
