// bench/pace_bench.cc: `godwit train`, again and again; what it leaves is read and compared.
#include "bench/pace_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/try.h"
#include "bench/missed_cases.h"
#include "bench/pace_run.h"
#include "bench/run_program.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFinalLoss = 0.005;  // what the end may be worse by, where larger is better

struct Case {
  const char* name;
  const char* pace;
  bool is_delayed = false;
  double wanted = 0;                 // of the ratio; 0: nothing
  std::vector<JudgedRun> runs = {};  // by seed
};

template <class Of>
double median(const std::vector<JudgedRun>& runs, Of&& of) {
  std::vector<double> values;
  for (const JudgedRun& run : runs) values.push_back(of(run));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Pace {
 public:
  Pace(const PaceBenchOptions& options, const SignalIntake& signals, std::string dir)
      : options_(options), signals_(signals), dir_(std::move(dir)) {}

  Result<JudgedRun> train(const Case& that, std::int64_t seed) {
    const std::string run = fmt::format("{}/{}", dir_, number_++);
    std::vector<std::string> arguments{"train", options_.task, "--data", options_.data};
    const auto add = [&](const char* flag, std::string value) {
      arguments.emplace_back(flag);
      arguments.push_back(std::move(value));
    };
    add("--nodes", std::to_string(options_.nodes));
    add("--workers", "1");
    add("--epochs", std::to_string(options_.epochs));
    add("--seed", std::to_string(seed));
    add("--pace", that.pace);
    if (that.is_delayed) add("--inject", options_.delays);
    for (const std::string& setting : options_.settings) add("--set", setting);
    add("--set", "judge_test=true");
    add("--run", run);
    arguments.emplace_back("--quiet");
    GODWIT_TRY(run_program({.path = options_.program,
                            .arguments = std::move(arguments),
                            .deadline = options_.deadline},
                           options_.environment, signals_));
    GODWIT_TRY_ASSIGN(const std::string metrics, text_of(run + "/metrics.jsonl"));
    // There is none of a run in ticks.
    const auto steps = text_of(run + "/steps.csv");
    return read_pace_run(metrics,
                         steps.ok() ? std::optional<std::string_view>(*steps) : std::nullopt,
                         options_.figure);
  }

 private:
  Result<std::string> text_of(const std::string& path) {
    GODWIT_TRY_ASSIGN(const std::vector<std::byte> bytes, disk_.read(path));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  const PaceBenchOptions& options_;
  const SignalIntake& signals_;
  const std::string dir_;
  std::size_t number_ = 0;
  RealDisk disk_;
};

double time_of(const PaceBenchOptions& options, const JudgedRun& run) {
  return seconds_until(run.judged, options.target, options.is_larger_better).value_or(kNever);
}

double time_of(const PaceBenchOptions& options, const std::vector<JudgedRun>& runs) {
  return median(runs, [&](const JudgedRun& run) { return time_of(options, run); });
}

std::string run_text(const PaceBenchOptions& options, const Case& that, std::int64_t seed,
                     const JudgedRun& run) {
  const double time = time_of(options, run);
  return fmt::format("{}, seed {}: {} {:g} {}, {:.4f} after {} epochs in {:.1f} s", that.name, seed,
                     options.figure, options.target,
                     time < kNever ? fmt::format("after {:.1f} s", time) : "not reached",
                     run.judged.back().value, options.epochs, run.train_seconds);
}

// Of all seeds; 0 where the target was not reached.
std::pair<double, double> time_range(const PaceBenchOptions& options,
                                     const std::vector<JudgedRun>& runs) {
  double first = kNever;
  double last = 0;
  for (const JudgedRun& run : runs) {
    first = std::min(first, time_of(options, run));
    last = std::max(last, time_of(options, run));
  }
  return {first < kNever ? first : 0, last < kNever ? last : 0};
}

// The time to the target, against that of waiting for all.
BenchResult result_of(const PaceBenchOptions& options, const Case& that, const Case& base) {
  const double time = time_of(options, that.runs);
  const double against = time_of(options, base.runs);
  const bool is_reached = time < kNever;
  BenchResult result{
      .bench = "pace",
      .case_name = that.name,
      .value = is_reached ? time : 0,
      .unit = "s",
      .limit = against < kNever ? against : 0,
      .ratio = is_reached && against < kNever ? against / time : 0,
      .note = fmt::format("{} to {} {:g} on {}; {} nodes{}{}",
                          is_reached ? "time" : fmt::format("not in {} epochs", options.epochs),
                          options.figure, options.target, options.data, options.nodes,
                          that.is_delayed ? "; " + options.delays : "",
                          &that == &base ? "" : fmt::format("; limit: {}", base.name))};
  const auto add = [&](const char* name, auto&& of) {
    result.figures.emplace_back(name, median(that.runs, of));
  };
  add("final", [](const JudgedRun& run) { return run.judged.back().value; });
  add("train_s", [](const JudgedRun& run) { return run.train_seconds; });
  if (that.runs.size() > 1) {
    const auto [first, last] = time_range(options, that.runs);
    result.figures.emplace_back("fastest_s", first);
    result.figures.emplace_back("slowest_s", last);
  }
  if (that.runs.front().steps > 0) {
    add("steps", [](const JudgedRun& run) { return static_cast<double>(run.steps); });
    add("gradients", [](const JudgedRun& run) { return run.gradients; });
    add("results", [](const JudgedRun& run) { return run.results; });
  }
  if (that.wanted > 0) result.figures.emplace_back(kWanted, that.wanted);
  return result;
}

// Both go through as many steps of as many samples, so times tell.
BenchResult steps_result(const Case& fixed, const Case& off) {
  const auto steps = static_cast<double>(fixed.runs.front().steps);
  const auto seconds = [](const JudgedRun& run) { return run.train_seconds; };
  const double value = steps / median(fixed.runs, seconds);
  const double limit = steps / median(off.runs, seconds);
  return {.bench = "pace",
          .case_name = "calm/steps",
          .value = value,
          .unit = "steps/s",
          .limit = limit,
          .ratio = value / limit,
          .note = "of calm/all; limit: as many ticks of calm/off",
          .figures = {{kWanted, 0.95}}};
}

// Being faster must not cost what is reached in the end.
BenchResult final_result(const PaceBenchOptions& options, const Case& that, const Case& base) {
  const auto final_of = [](const JudgedRun& run) { return run.judged.back().value; };
  const double value = median(that.runs, final_of);
  const double limit = median(base.runs, final_of);
  return {
      .bench = "pace",
      .case_name = "delays/final",
      .value = value,
      .unit = options.figure,
      .limit = limit,
      .ratio = value / limit,
      .note = fmt::format("of {} after {} epochs; limit: {}", that.name, options.epochs, base.name),
      .figures = {{kWanted, (limit - kFinalLoss) / limit}}};
}

}  // namespace

PaceBenchOptions PaceBenchOptions::full() {
  return {.settings = {"hidden=64"}, .delays = "all: comm exp 20ms; all: compute exp 20ms"};
}

PaceBenchOptions PaceBenchOptions::quick() {
  return {.task = "linreg",
          .data = "generated:linear,rows=2000,features=100",
          .settings = {"learning_rate=0.3", "batch=32"},
          .nodes = 3,
          .epochs = 4,
          .delays = "all: comm exp 2ms; all: compute exp 2ms",
          .figure = "rmse",
          .is_larger_better = false,
          .target = 0.8,
          .seeds = 1,
          .calm_seeds = 1};
}

Result<> run_pace_bench(const PaceBenchOptions& options,
                        const std::function<void(const BenchResult&)>& on_result) {
  if (options.seeds < 1 || options.calm_seeds < 1) {
    return invalid_argument("nothing to run: no seed");
  }
  GODWIT_TRY(find_data(options.catalog, options.data));
  std::vector<Case> delayed{{"delays/all", "fixed", true}, {"delays/auto", "auto", true, 2}};
  std::vector<Case> calm{
      {"calm/all", "fixed"}, {"calm/auto", "auto", false, 1 / 1.05}, {"calm/off", "off"}};
  // Before the directory: signals have their usual effect once it is gone.
  const SignalIntake signals;
  GODWIT_TRY_ASSIGN(
      const JobDir dir,
      JobDir::make(temporary_dir(value_of(options.environment, "TMPDIR").value_or(""))));
  Pace pace(options, signals, dir.path());
  for (auto& [cases, seeds] :
       {std::pair(&delayed, options.seeds), std::pair(&calm, options.calm_seeds)}) {
    for (std::int64_t seed = 1; seed <= seeds; ++seed) {
      for (Case& that : *cases) {
        GODWIT_TRY_ASSIGN(JudgedRun run, pace.train(that, seed));
        options.on_run(run_text(options, that, seed, run));
        that.runs.push_back(std::move(run));
        if (seed == seeds) on_result(result_of(options, that, cases->front()));
      }
    }
  }
  if (options.is_larger_better) on_result(final_result(options, delayed[1], delayed[0]));
  on_result(steps_result(calm[0], calm[2]));
  return {};
}

}  // namespace godwit
