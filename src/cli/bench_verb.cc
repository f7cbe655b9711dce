// cli/bench_verb.cc: `godwit bench store | remote | clocks | ...`: this machine against its limits.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/clock_bench.h"
#include "bench/collective_bench.h"
#include "bench/elastic_bench.h"
#include "bench/missed_cases.h"
#include "bench/pace_bench.h"
#include "bench/placement_bench.h"
#include "bench/remote_bench.h"
#include "bench/staleness_bench.h"
#include "bench/store_bench.h"
#include "bench/train_bench.h"
#include "cli/command_line.h"
#include "cli/saved_run.h"
#include "cli/verbs.h"
#include "report/bench_report.h"

namespace godwit {
namespace {

struct BenchOptions {
  bool quick = false;
  bool json = false;
  bool verify = false;
};

using OnResult = std::function<void(const BenchResult&)>;

// Runs a benchmark and prints its results: a table at the end, or a line each; and, if that is to
// be verified, the cases that are worse than wanted.
int run_bench(const std::string& name, const BenchOptions& options,
              const std::function<Result<>(const OnResult&)>& run, std::ostream& out,
              std::ostream& err) {
  std::vector<BenchResult> results;
  const auto done = run([&](const BenchResult& result) {
    if (options.json) out << to_json_line(result) << std::endl;
    if (!options.json) err << result.case_name << std::endl;  // progress
    results.push_back(result);
  });
  if (!options.json && !results.empty()) out << to_text(results);
  const auto missed = options.verify ? missed_cases(results) : std::vector<std::string>();
  for (const std::string& line : missed) err << "godwit bench " << name << ": " << line << "\n";
  if (!done.ok()) {
    err << "godwit bench " << name << ": " << done.error().message() << "\n";
    return done.error().code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  if (!missed.empty()) return kExitFailed;
  if (options.verify) err << "all " << count_wanted(results) << " targets are met\n";
  return kExitOk;
}

// Of the benchmarks of clocks. Nothing given: the usual cases.
struct ClockFlags {
  std::vector<std::string> consistency;
  std::string straggler;
  std::size_t repetitions = 0;
};

// The cases that were asked for, made from the first one.
template <class Options>
Result<Options> clock_options(const ClockFlags& flags, Options options) {
  if (flags.repetitions > 0) options.repetitions = flags.repetitions;
  if (flags.consistency.empty() && flags.straggler.empty()) return options;
  auto that = options.cases.front();
  if (!flags.straggler.empty()) {
    GODWIT_TRY_ASSIGN(that.straggler, parse_straggler(flags.straggler));
  }
  const std::vector<std::string> all{"bsp",   "ssp:0", "ssp:1", "ssp:2",
                                     "ssp:4", "ssp:8", "async", "auto"};
  options.cases.clear();
  for (const std::string& text : flags.consistency.empty() ? all : flags.consistency) {
    GODWIT_TRY_ASSIGN(that.consistency, Consistency::parse(text));
    options.cases.push_back(that);
  }
  return options;
}

void add_clock_flags(CLI::App& bench, ClockFlags& flags) {
  bench.add_option("--consistency", flags.consistency, "only these, as bsp,ssp:2,auto")
      ->delimiter(',');
  bench.add_option("--straggler", flags.straggler,
                   "only this: none, transient, permanent, slow_worker");
  bench.add_option("--repetitions", flags.repetitions, "runs of which the median is shown")
      ->check(CLI::Range(1, 1000));
}

// Of the one model that was given, or of both.
Result<StalenessBenchOptions> staleness_options(const ClockFlags& flags, const std::string& name,
                                                bool quick) {
  std::vector<StalenessModel> models{StalenessModel::kMf, StalenessModel::kLda};
  if (!name.empty()) {
    GODWIT_TRY_ASSIGN(const StalenessModel model, parse_staleness_model(name));
    models = {model};
  }
  StalenessBenchOptions all;
  for (const StalenessModel model : models) {
    auto usual = quick ? StalenessBenchOptions::quick() : StalenessBenchOptions::full();
    std::erase_if(usual.cases, [&](const StalenessCase& that) { return that.model != model; });
    GODWIT_TRY_ASSIGN(const auto options, clock_options(flags, std::move(usual)));
    all.cases.insert(all.cases.end(), options.cases.begin(), options.cases.end());
    all.repetitions = options.repetitions;
  }
  return all;
}

// What was typed; nothing given: the usual.
struct PlacementFlags {
  std::string pattern;
  std::string policy;
  std::int64_t nodes = 2;
  std::int64_t workers = 1;
  std::size_t batch = 0;
  std::size_t steps = 0;
  std::size_t ahead = 100;
  std::size_t repetitions = 3;
  double compute_ms = 0;
  bool racy = false;
  std::string link;
  std::string consistency = "async";
};

// One case if a pattern is given, else all; one policy if it is given.
Result<PlacementBenchOptions> placement_options(const PlacementFlags& flags, bool quick) {
  PlacementBenchOptions options;
  if (flags.pattern.empty()) {
    options = quick ? PlacementBenchOptions::quick() : PlacementBenchOptions::full();
  }
  options.repetitions = flags.repetitions;
  if (!flags.policy.empty()) {
    GODWIT_TRY_ASSIGN(const Placement policy, parse_placement(flags.policy));
    options.policies = {policy};
  }
  if (flags.pattern.empty()) return options;
  GODWIT_TRY_ASSIGN(const PatternKind kind, parse_pattern(flags.pattern));
  PlacementCase one = usual_case(kind, flags.batch, flags.compute_ms);
  one.pattern.nodes = flags.nodes;
  one.pattern.workers = flags.workers;
  one.ahead = flags.ahead;
  one.access = flags.racy ? Access::kRacy : Access::kLocked;
  one.link = flags.link;
  if (flags.steps > 0) one.steps = flags.steps;
  fit_warm_up(one);
  GODWIT_TRY_ASSIGN(one.consistency, Consistency::parse(flags.consistency));
  const bool is_async = one.consistency.kind == ConsistencyKind::kAsync;
  (is_async ? options.cases : options.bounded) = {one};
  return options;
}

void add_placement_flags(CLI::App& bench, PlacementFlags& flags) {
  CLI::Option* const pattern = bench.add_option(
      "--pattern", flags.pattern, "one case only: mf, mf_blocks, kge, stream, reuse, resident");
  bench.add_option("--policy", flags.policy,
                   "one policy only: intent, intent_plain, static, replicate_all, relocate_only, "
                   "replicate_only");
  // What all cases have of their own is said for one case only.
  const auto of_one_case = [&](const char* name, auto& value, const char* what) {
    return bench.add_option(name, value, what)->needs(pattern);
  };
  of_one_case("--nodes", flags.nodes, "processes");
  of_one_case("--workers", flags.workers, "threads of each process");
  of_one_case("--batch", flags.batch, "triples, ratings or rows a step")
      ->check(CLI::Range(1, 65'536));
  of_one_case("--steps", flags.steps, "timed steps of each worker")
      ->check(CLI::Range(1, 1'000'000'000));
  of_one_case("--ahead", flags.ahead, "how many steps ahead to ask");
  of_one_case("--compute-ms", flags.compute_ms, "slept in each step");
  bench.add_flag("--racy", flags.racy, "touch rows without locks")->needs(pattern);
  of_one_case("--link", flags.link, "rate and delay of each node's link, as 1gbit,0.2ms");
  of_one_case("--consistency", flags.consistency,
              "how old reads may be, as ssp:2: against async, with one policy");
  bench.add_option("--repetitions", flags.repetitions, "runs of which the median is shown")
      ->check(CLI::Range(1, 1000));
}

struct TrainFlags {
  std::string part;
  std::string task;
  std::size_t repetitions = 0;
};

Result<TrainBenchOptions> train_options(const TrainFlags& flags, bool quick) {
  TrainBenchOptions options = quick ? TrainBenchOptions::quick() : TrainBenchOptions::full();
  options.environment = parse_environment(environ);
  options.catalog = catalog_of(options.environment);
  if (flags.repetitions > 0) options.set_repetitions(flags.repetitions);
  if (!flags.part.empty()) {
    GODWIT_TRY_ASSIGN(const TrainPart part, parse_train_part(flags.part));
    options.keep(part);
  }
  if (!flags.task.empty()) GODWIT_TRY(options.keep_task(flags.task));
  return options;
}

void add_train_flags(CLI::App& bench, TrainFlags& flags) {
  bench.add_option("--part", flags.part,
                   "one part only: tax (against plain arrays), scaling (1, 2, 4 nodes), peers "
                   "(fasttext and gensim)");
  bench.add_option("--task", flags.task, "one task only: mf, kge, w2v, ctr, lda, lasso");
  bench
      .add_option("--repetitions", flags.repetitions,
                  "epochs of which the best is shown, runs of which the median is")
      ->check(CLI::Range(1, 1000));
}

PaceBenchOptions pace_options(std::optional<std::int64_t> seeds, bool quick) {
  PaceBenchOptions options = quick ? PaceBenchOptions::quick() : PaceBenchOptions::full();
  options.environment = parse_environment(environ);
  options.catalog = catalog_of(options.environment);
  options.seeds = seeds.value_or(options.seeds);
  options.calm_seeds = std::max(options.calm_seeds, options.seeds);
  options.on_run = [](const std::string& text) { std::cerr << text << std::endl; };
  return options;
}

struct ElasticFlags {
  std::vector<std::int64_t> groups;
  std::int64_t epochs = 0;  // 0: as usual
  std::string rate;
  std::int64_t seed = 1;
  std::string picture;
};

ElasticBenchOptions elastic_options(const ElasticFlags& flags, bool quick) {
  ElasticBenchOptions options = quick ? ElasticBenchOptions::quick() : ElasticBenchOptions::full();
  std::error_code error;
  options.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  options.environment = parse_environment(environ);
  options.catalog = catalog_of(options.environment);
  if (!flags.groups.empty()) options.groups = flags.groups;
  if (flags.epochs > 0) options.epochs = flags.epochs;
  if (!flags.rate.empty()) options.rate = flags.rate == "none" ? "" : flags.rate;
  options.seed = flags.seed;
  options.picture = flags.picture;
  return options;
}

void add_elastic_flags(CLI::App& bench, ElasticFlags& flags) {
  bench.add_option("--groups", flags.groups, "of 8 ranks in all, as 1,2,4 (default 4)")
      ->delimiter(',');
  bench.add_option("--epochs", flags.epochs, "of each run");
  bench.add_option("--rate", flags.rate,
                   "of the link of a group (default 100mbit); none: as it is");
  bench.add_option("--seed", flags.seed, "of the runs");
  bench.add_option("--picture", flags.picture, "a file for plots over time and bytes (SVG)");
}

struct CollectiveFlags {
  std::vector<int> ranks = {2, 4};
  std::string case_of;
  bool mpi_defaults = false;
  std::string rank_in;  // this is a rank, and that the folder in which it leaves its results
};

Result<> run_collective(const CollectiveFlags& flags, bool quick,
                        const std::function<void(const BenchResult&)>& on_result) {
  if (flags.rank_in.empty()) {
    CollectiveBenchOptions options;
    options.ranks = flags.ranks;
    options.is_quick = quick;
    options.case_of = flags.case_of;
    options.has_mpi_defaults = flags.mpi_defaults;
    options.environment = parse_environment(environ);
    return run_collective_bench(options, on_result);
  }
  const CollectiveRankOptions options{
      .sizes = quick ? CollectiveSizes::quick() : CollectiveSizes::full(),
      .folder = flags.rank_in,
      .case_of = flags.case_of};
  return run_collective_rank(options, [&](const BenchResult& result) {
    std::ofstream(flags.rank_in + "/results", std::ios::app) << to_result_line(result) << "\n";
  });
}

void add_collective_flags(CLI::App& bench, CollectiveFlags& flags) {
  bench.add_option("--ranks", flags.ranks, "how many, as 2,4")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  bench.add_option("--case", flags.case_of, "only cases that have this in their name");
  bench.add_flag("--mpi-defaults", flags.mpi_defaults,
                 "let Open MPI choose its algorithms, instead of the fastest it has");
  bench.add_option("--rank-in", flags.rank_in)->group("");  // of ourselves: hidden
}

using Run = std::function<Result<>(bool quick, const OnResult&)>;

CLI::App* add_bench(CLI::App& verb, Action& action, const char* name, const char* what, Run run) {
  CLI::App* bench = verb.add_subcommand(name, what);
  auto options = std::make_shared<BenchOptions>();
  bench->add_flag("--quick", options->quick, "the main cases only, in under a minute");
  bench->add_flag("--json", options->json, "one JSON object a line instead of a table");
  bench->add_flag("--verify", options->verify, "fail if a ratio is below what is wanted of it");
  bench->callback([options, name, run = std::move(run), &action] {
    action = [options, name, run](std::ostream& out, std::ostream& err) {
      const auto bound = [&](const OnResult& on_result) { return run(options->quick, on_result); };
      return run_bench(name, *options, bound, out, err);
    };
  });
  return bench;
}

// add(name, what, run) as in add_bench_verb().
template <class Add>
void add_training_benches(const Add& add) {
  auto train_flags = std::make_shared<TrainFlags>();
  CLI::App* train =
      add("train", "training against plain arrays, on 1, 2, 4 nodes, and against other programs",
          [train_flags](bool quick, const OnResult& on_result) -> Result<> {
            GODWIT_TRY_ASSIGN(const auto options, train_options(*train_flags, quick));
            return run_train_bench(options, on_result);
          });
  add_train_flags(*train, *train_flags);
  auto seeds = std::make_shared<std::optional<std::int64_t>>();
  add("pace",
      "steps that wait for all workers, or for as many as seems best, with slow ones and not",
      [seeds](bool quick, const OnResult& on_result) {
        return run_pace_bench(pace_options(*seeds, quick), on_result);
      })
      ->add_option("--seeds", *seeds, "how many with delays (3), and 9 or more without: medians")
      ->check(CLI::Range(1, 1000));
  auto elastic_flags = std::make_shared<ElasticFlags>();
  CLI::App* elastic =
      add("elastic", "groups over slow links: gradients in every step, or parameters now and then",
          [elastic_flags](bool quick, const OnResult& on_result) {
            return run_elastic_bench(elastic_options(*elastic_flags, quick), on_result);
          });
  add_elastic_flags(*elastic, *elastic_flags);
}

}  // namespace

void add_bench_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("bench", "measure this machine against its limits");
  verb->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, Run run) {
    return add_bench(*verb, action, name, what, std::move(run));
  };
  add("store", "rows in memory against a plain array: pull, push, rows in place",
      [](bool quick, const OnResult& on_result) {
        return run_store_bench(quick ? StoreBenchOptions::quick() : StoreBenchOptions::full(),
                               on_result);
      });
  add("remote", "rows of another process against a bare socket: pull, push, single keys",
      [](bool quick, const OnResult& on_result) {
        return run_remote_bench(quick ? RemoteBenchOptions::quick() : RemoteBenchOptions::full(),
                                on_result);
      });
  auto clock_flags = std::make_shared<ClockFlags>();
  CLI::App* clocks =
      add("clocks", "workers that wait for each other, by how old their reads may be",
          [clock_flags](bool quick, const OnResult& on_result) -> Result<> {
            GODWIT_TRY_ASSIGN(const auto options,
                              clock_options(*clock_flags, quick ? ClockBenchOptions::quick()
                                                                : ClockBenchOptions::full()));
            return run_clock_bench(options, on_result);
          });
  add_clock_flags(*clocks, *clock_flags);
  auto model = std::make_shared<std::string>();
  auto staleness_flags = std::make_shared<ClockFlags>();
  CLI::App* staleness = add(
      "staleness", "time until training is good enough, by how old reads may be",
      [staleness_flags, model](bool quick, const OnResult& on_result) -> Result<> {
        GODWIT_TRY_ASSIGN(const auto options, staleness_options(*staleness_flags, *model, quick));
        return run_staleness_bench(options, on_result);
      });
  staleness->add_option("--model", *model, "only this: mf, lda");
  add_clock_flags(*staleness, *staleness_flags);
  auto flags = std::make_shared<PlacementFlags>();
  CLI::App* placement =
      add("placement", "rows that several processes use: policies side by side",
          [flags](bool quick, const OnResult& on_result) -> Result<> {
            GODWIT_TRY_ASSIGN(const auto options, placement_options(*flags, quick));
            return run_placement_bench(options, on_result);
          });
  add_placement_flags(*placement, *flags);
  auto collective_flags = std::make_shared<CollectiveFlags>();
  CLI::App* collective =
      add("collective", "sums over the ranks of a group against those of MPI and gloo",
          [collective_flags](bool quick, const OnResult& on_result) {
            return run_collective(*collective_flags, quick, on_result);
          });
  add_collective_flags(*collective, *collective_flags);
  add_training_benches(add);
}

}  // namespace godwit
