// sim/pace_study.cc: runs until their targets, and what they share.
#include "sim/pace_study.h"

#include <algorithm>

#include "base/prng.h"
#include "pace/delay_statistics.h"
#include "pace/load_ladder.h"
#include "pace/timing_table.h"
#include "sim/pace_contender.h"

namespace godwit::sim {
namespace {

constexpr std::uint64_t kTraceEvery = 20;
constexpr std::size_t kDrawnSteps = 4000;

}  // namespace

const LeastSquares& PaceStudy::problem(const PaceLaw& law, std::uint64_t seed) {
  LeastSquaresOptions wanted = law.problem;
  wanted.dimension = std::min(wanted.dimension, options_.dimension_max);
  wanted.samples = std::min(wanted.samples, options_.samples_max);
  if (!problem_ || problem_seed_ != seed || problem_options_ != wanted) {
    problem_.emplace(wanted, seed);
    problem_options_ = wanted;
    problem_seed_ = seed;
  }
  return *problem_;
}

const std::vector<TimedChoice>& PaceStudy::true_times(const PaceLaw& law) {
  if (times_law_ == law.name) return times_;
  const std::uint32_t workers = options_.run.workers;
  TimingTable table(workers, LoadLadder(options_.run.full_load), kDrawnSteps);
  Prng prng(mix64(0x7ab1e, 1));
  for (std::uint64_t step = 0; step < kDrawnSteps; ++step) {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      const double comm = draw_comm(law, prng);
      const double compute = draw_compute(law, worker, prng);
      table.note(step, worker, {comm, compute, options_.run.full_load});
    }
  }
  const std::vector<std::uint8_t> live(workers, 1);
  table.rebuild(DelayStatistics(workers), live);
  times_ = timed_choices(table);
  times_law_ = law.name;
  return times_;
}

PaceOutcome PaceStudy::run(const PaceLaw& law, std::string_view policy, std::uint64_t seed) {
  const LeastSquares& learned = problem(law, seed);
  PaceContender contender =
      make_pace_contender(policy, options_.run, learned, law, true_times(law));
  PaceRun run(&learned, law, options_.run, seed, contender.policy.get(), contender.timings.get());
  const double all = static_cast<double>(options_.run.workers) * options_.run.full_load;
  const double floor = learned.floor(law.learning_rate, 0.8 * all);
  PaceOutcome outcome;
  outcome.trace.push_back(
      {0, run.smooth_error() / floor, contender.policy->choice(options_.run.workers)});
  while (!outcome.reached.back() && run.totals().steps < options_.steps_max) {
    if (contender.oracle != nullptr) contender.oracle->see(run.smooth_error());
    run.step();
    const double error = run.smooth_error() / floor;
    for (std::size_t i = 0; i < kPaceTargets.size(); ++i) {
      if (!outcome.reached[i] && error <= kPaceTargets[i]) outcome.reached[i] = run.totals();
    }
    if (run.totals().steps % kTraceEvery == 0 || run.choice() != outcome.trace.back().choice ||
        outcome.reached.back()) {
      outcome.trace.push_back({run.totals().seconds, error, run.choice()});
    }
  }
  outcome.totals = run.totals();
  return outcome;
}

}  // namespace godwit::sim
