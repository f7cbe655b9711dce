// bench/placement_bench.cc: which cases are run, and what they are compared with.
#include "bench/placement_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/placement_run.h"

namespace godwit {
namespace {

using OnResult = std::function<void(const BenchResult&)>;

const PlacementFigures& median(std::vector<PlacementFigures>& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const auto& a, const auto& b) { return a.step_seconds < b.step_seconds; });
  return runs[runs.size() / 2];
}

std::vector<std::pair<std::string, double>> columns(const PlacementFigures& run) {
  std::vector<std::pair<std::string, double>> all{{"ready_share", run.ready_share}};
  if (run.local_share >= 0) all.emplace_back("local_share", run.local_share);
  all.emplace_back("bytes_per_step", run.bytes_per_step);
  all.emplace_back("frames_per_step", run.frames_per_step);
  all.emplace_back("cpu_ns_per_key", run.cpu_ns_per_key);
  all.emplace_back("drain_ms", run.drain_seconds * 1e3);
  all.emplace_back("rows_here", run.resident_rows);
  all.emplace_back("intend_us", run.intend_us);
  all.emplace_back("access_us", run.access_us);
  all.emplace_back("advance_us", run.advance_us);
  all.emplace_back("locks_over_5us", run.long_holds);
  all.emplace_back("longest_lock_us", run.longest_hold_us);
  all.emplace_back("access_p50_us", run.access_p50_us);
  all.emplace_back("access_p99_us", run.access_p99_us);
  return all;
}

// One job and one policy of several that are run in turns.
struct Entrant {
  PlacementJob* job = nullptr;
  Placement policy = Placement::kIntent;
  std::vector<PlacementFigures> runs = {};
};

// The first run of all does not count: it is slower than the same one later, whatever it is of.
Result<> run_in_turns(std::vector<Entrant>& entrants, std::size_t repetitions) {
  for (std::size_t round = 0; round <= repetitions; ++round) {
    for (Entrant& entrant : entrants) {
      if (round == 0 && &entrant != &entrants.front()) break;
      auto run = entrant.job->run(entrant.policy);
      if (!run.ok()) {
        return std::move(run).error().in_context(
            fmt::format("{}/policy={}", to_string(entrant.job->what()), to_string(entrant.policy)));
      }
      if (round > 0) entrant.runs.push_back(*run);
    }
  }
  return {};
}

// Of a step that one node makes, with as many workers as one of several has.
Result<double> seconds_alone(const PlacementCase& that, const PlacementBenchOptions& options) {
  PlacementCase one = that;
  one.pattern.nodes = 1;
  one.link.clear();
  PlacementJob job(one);
  std::vector<Entrant> entrants{{&job}};
  GODWIT_TRY(run_in_turns(entrants, options.repetitions));
  return median(entrants[0].runs).step_seconds;
}

// All policies on one case. The limit is the fastest of them.
Result<> compare_policies(const PlacementCase& that, const PlacementBenchOptions& options,
                          const OnResult& on_result) {
  PlacementJob job(that);
  std::vector<Entrant> entrants;
  for (const Placement policy : options.policies) entrants.push_back({&job, policy});
  GODWIT_TRY(run_in_turns(entrants, options.repetitions));
  GODWIT_TRY_ASSIGN(const double alone, that.link.empty() ? 0 : seconds_alone(that, options));
  double best = std::numeric_limits<double>::infinity();
  double of_static = 0;
  for (Entrant& entrant : entrants) {
    const double seconds = median(entrant.runs).step_seconds;
    best = std::min(best, seconds);
    if (entrant.policy == Placement::kStatic) of_static = seconds;
  }
  for (Entrant& entrant : entrants) {
    const PlacementFigures& run = median(entrant.runs);
    BenchResult result{
        .bench = "placement",
        .case_name = fmt::format("{}/policy={}", to_string(that), to_string(entrant.policy)),
        .value = run.step_seconds * 1e6,
        .unit = "us/step",
        .limit = best * 1e6,
        .ratio = best / run.step_seconds,
        .figures = columns(run)};
    if (of_static > 0) {
      result.figures.emplace(result.figures.begin(), "x_static", of_static / run.step_seconds);
    }
    if (alone > 0) {
      const double speed_up = alone * static_cast<double>(that.pattern.nodes) / run.step_seconds;
      result.figures.emplace(result.figures.begin(), "speed_up", speed_up);
    }
    on_result(result);
  }
  return {};
}

// What is sent when rows are asked for earlier than they need to be.
Result<> compare_ahead(const PlacementBenchOptions& options, const OnResult& on_result) {
  for (const PlacementCase& near : options.earlier) {
    PlacementCase far = near;
    far.ahead *= 10;
    fit_warm_up(far);
    PlacementJob near_job(near);
    PlacementJob far_job(far);
    std::vector<Entrant> entrants{{&near_job}, {&far_job}};
    GODWIT_TRY(run_in_turns(entrants, options.repetitions));
    const PlacementFigures& before = median(entrants[0].runs);
    const PlacementFigures& after = median(entrants[1].runs);
    on_result({.bench = "placement",
               .case_name = fmt::format("{}/bytes-when-10x-earlier", to_string(near)),
               .value = after.bytes_per_step,
               .unit = "B/step",
               .limit = before.bytes_per_step,
               .ratio = before.bytes_per_step / std::max(1.0, after.bytes_per_step),
               .note = fmt::format("{:+.1f} % bytes, {:.1f} us/step for {:.1f}",
                                   100 * (after.bytes_per_step / before.bytes_per_step - 1),
                                   after.step_seconds * 1e6, before.step_seconds * 1e6),
               .figures = columns(after)});
  }
  return {};
}

// Several processes against one: the same work, and nothing to send.
Result<> compare_processes(const PlacementBenchOptions& options, const OnResult& on_result) {
  for (const PlacementCase& several : options.together) {
    PlacementCase one = several;
    one.pattern.workers *= std::exchange(one.pattern.nodes, 1);
    PlacementJob several_job(several);
    PlacementJob one_job(one);
    std::vector<Entrant> entrants{{&one_job}, {&several_job}};
    GODWIT_TRY(run_in_turns(entrants, options.repetitions));
    const PlacementFigures& alone = median(entrants[0].runs);
    const PlacementFigures& apart = median(entrants[1].runs);
    on_result({.bench = "placement",
               .case_name = fmt::format("{}/against-1x{}", to_string(several), one.pattern.workers),
               .value = apart.step_seconds * 1e6,
               .unit = "us/step",
               .limit = alone.step_seconds * 1e6,
               .ratio = alone.step_seconds / apart.step_seconds,
               .note = "limit: one process",
               .figures = columns(apart)});
  }
  return {};
}

// Reads that may be so old against reads that may be any age.
Result<> compare_consistency(const PlacementBenchOptions& options, const OnResult& on_result) {
  for (const PlacementCase& bounded : options.bounded) {
    PlacementCase any = bounded;
    any.consistency = {};
    PlacementJob any_job(any);
    PlacementJob bounded_job(bounded);
    std::vector<Entrant> entrants{{&any_job, options.policies.front()},
                                  {&bounded_job, options.policies.front()}};
    GODWIT_TRY(run_in_turns(entrants, options.repetitions));
    const PlacementFigures& without = median(entrants[0].runs);
    const PlacementFigures& with = median(entrants[1].runs);
    BenchResult result{.bench = "placement",
                       .case_name = fmt::format("{}/against-async", to_string(bounded)),
                       .value = with.step_seconds * 1e6,
                       .unit = "us/step",
                       .limit = without.step_seconds * 1e6,
                       .ratio = without.step_seconds / with.step_seconds,
                       .note = "limit: async",
                       .figures = columns(with)};
    result.figures.emplace(result.figures.begin(), "clock_share", with.clock_share);
    on_result(result);
  }
  return {};
}

// Intents for rows that are here and stay here, since nobody else wants them. The limit is a job of
// one node, where there is nothing to be told to anybody.
Result<> measure_intents(const PlacementCase& opened, std::size_t repetitions,
                         const OnResult& on_result) {
  PlacementCase alone = opened;
  alone.pattern.nodes = 1;
  alone.pattern.scale = opened.pattern.scale / static_cast<double>(opened.pattern.nodes);
  PlacementCase unopened = opened;
  PlacementCase unopened_alone = alone;
  unopened.opens = unopened_alone.opens = false;
  std::vector<std::unique_ptr<PlacementJob>> jobs;
  std::vector<Entrant> entrants;
  for (const PlacementCase& that : {opened, alone, unopened, unopened_alone}) {
    entrants.push_back({jobs.emplace_back(std::make_unique<PlacementJob>(that)).get()});
  }
  GODWIT_TRY(run_in_turns(entrants, repetitions));
  const auto say = [&](const char* what, std::size_t entrant, double PlacementFigures::*figure,
                       const char* unit, const char* note) {
    const double value = median(entrants[entrant].runs).*figure;
    const double limit = median(entrants[entrant + 1].runs).*figure;
    on_result({.bench = "placement",
               .case_name = fmt::format("{}/{}", to_string(opened), what),
               .value = value,
               .unit = unit,
               .limit = limit,
               .ratio = limit / value,
               .note = note});
  };
  say("intend", 2, &PlacementFigures::intend_ns_per_key, "ns/key", "on the calling thread");
  say("intend+advance+close", 2, &PlacementFigures::cpu_ns_per_key, "ns/key", "CPU of all threads");
  say("with-open-and-touch", 0, &PlacementFigures::cpu_ns_per_key, "ns/key", "CPU of all threads");
  say("access/p50", 0, &PlacementFigures::access_p50_us, "us", "open, touch, close of a batch");
  say("access/p99", 0, &PlacementFigures::access_p99_us, "us", "open, touch, close of a batch");
  return {};
}

// The usual batch, how many keys one of it has, and how many keys of a worker take a second or two
// with rows fetched on demand.
struct Usual {
  std::size_t batch;
  std::size_t keys_of_one;
  std::size_t keys;
};
Usual usual(PatternKind kind) {
  switch (kind) {
    case PatternKind::kMf:
    case PatternKind::kMfBlocks:
      return {.batch = 32, .keys_of_one = 2, .keys = 2'000'000};
    case PatternKind::kKge:
      return {.batch = 1, .keys_of_one = 13, .keys = 600'000};
    case PatternKind::kStream:  // not more, or rows come again
      return {.batch = 128, .keys_of_one = 1, .keys = 256'000};
    case PatternKind::kReuse:
    case PatternKind::kResident:
      return {.batch = 128, .keys_of_one = 1, .keys = 1'500'000};
  }
  return {.batch = 1, .keys_of_one = 1, .keys = 1};
}

constexpr std::array kPrograms{PatternKind::kKge, PatternKind::kMf, PatternKind::kMfBlocks,
                               PatternKind::kStream, PatternKind::kReuse};

void add_costs(PlacementBenchOptions& options) {
  for (const PatternKind kind : {PatternKind::kKge, PatternKind::kMf}) {
    PlacementCase that = usual_case(kind);
    that.steps = 400'000;  // several times as long as rows stay before they are exchanged
    fit_warm_up(that);
    options.together.push_back(that);
  }
  PlacementCase bounded = usual_case(PatternKind::kMf, 0, 1);
  bounded.pattern.nodes = 4;
  bounded.consistency = {.kind = ConsistencyKind::kSsp, .staleness = 2};
  options.bounded = {bounded};
  options.resident = {usual_case(PatternKind::kResident, 1024)};
}

}  // namespace

std::vector<Placement> all_policies() {
  return {Placement::kIntent,       Placement::kIntentPlain,  Placement::kStatic,
          Placement::kReplicateAll, Placement::kRelocateOnly, Placement::kReplicateOnly};
}

PlacementCase usual_case(PatternKind kind, std::size_t batch, double compute_ms) {
  PlacementCase that;
  that.pattern.kind = kind;
  that.pattern.batch = batch > 0 ? batch : usual(kind).batch;
  that.compute_ms = compute_ms;
  fit_steps(that);
  return that;
}

void fit_steps(PlacementCase& that) {
  constexpr std::size_t kStepsMin = 150;
  constexpr std::size_t kStepsMax = 60'000;
  const Usual fit = usual(that.pattern.kind);
  that.steps = std::clamp(fit.keys / (fit.keys_of_one * that.pattern.batch), kStepsMin, kStepsMax);
  if (that.compute_ms > 0) {
    that.steps = std::min(that.steps, static_cast<std::size_t>(1000 / that.compute_ms));
  }
  fit_warm_up(that);
}

void fit_warm_up(PlacementCase& that) {
  that.warm_steps = std::max(that.steps / 2, that.ahead + that.ahead / 4);
}

PlacementBenchOptions PlacementBenchOptions::quick() {
  PlacementBenchOptions options;
  for (const PatternKind kind : kPrograms) {
    PlacementCase that = usual_case(kind);
    that.steps /= 3;
    fit_warm_up(that);
    options.cases.push_back(that);
  }
  options.earlier = {usual_case(PatternKind::kKge, 0, 1)};
  add_costs(options);
  return options;
}

PlacementBenchOptions PlacementBenchOptions::full() {
  PlacementBenchOptions options;
  for (const PatternKind kind : kPrograms) {
    for (const std::size_t batch : {1U, 32U, 1024U}) {
      for (const double compute_ms : {0.0, 1.0, 10.0}) {
        options.cases.push_back(usual_case(kind, batch, compute_ms));
      }
    }
  }
  for (const PatternKind kind : kPrograms) {
    PlacementCase that = usual_case(kind, 0, 1);
    that.pattern.nodes = 4;
    that.link = "1gbit,0.2ms";
    options.cases.push_back(that);
  }
  options.earlier = {usual_case(PatternKind::kKge), usual_case(PatternKind::kKge, 0, 1),
                     usual_case(PatternKind::kReuse, 0, 1)};
  add_costs(options);
  return options;
}

Result<> run_placement_bench(const PlacementBenchOptions& options,
                             const std::function<void(const BenchResult&)>& on_result) {
  if (options.policies.empty() || options.repetitions < 1) {
    return invalid_argument("nothing to run: no policy, or no repetition");
  }
  for (const auto* cases :
       {&options.cases, &options.earlier, &options.together, &options.bounded, &options.resident}) {
    for (const PlacementCase& that : *cases) GODWIT_TRY(that.validate());
  }
  for (const PlacementCase& that : options.cases) {
    GODWIT_TRY(compare_policies(that, options, on_result));
  }
  GODWIT_TRY(compare_ahead(options, on_result));
  GODWIT_TRY(compare_processes(options, on_result));
  GODWIT_TRY(compare_consistency(options, on_result));
  for (const PlacementCase& that : options.resident) {
    GODWIT_TRY(measure_intents(that, options.repetitions, on_result));
  }
  return {};
}

}  // namespace godwit
