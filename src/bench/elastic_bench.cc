// bench/elastic_bench.cc: `godwit train --groups`, again and again; what it leaves is read and
// compared.
#include "bench/elastic_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/try.h"
#include "bench/elastic_run.h"
#include "bench/run_program.h"
#include "bench/shaped_network.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

constexpr int kPort = 7077;

struct Case {
  ElasticBenchOptions::Mode mode;
  std::int64_t groups = 1;
  std::int64_t ranks_per_group = 1;
  std::int64_t epochs = 1;
};

class Elastic {
 public:
  Elastic(const ElasticBenchOptions& options, const SignalIntake& signals, std::string dir)
      : options_(options), signals_(signals), dir_(std::move(dir)) {}

  // Over links of the network, if there is one.
  Result<ElasticRun> train(const Case& that, const ShapedNetwork* network) {
    const std::string run = fmt::format("{}/{}", dir_, number_++);
    std::vector<std::string> words{options_.program, "train", options_.task, "--data",
                                   options_.data};
    const auto add = [&](const char* flag, std::string value) {
      words.emplace_back(flag);
      words.push_back(std::move(value));
    };
    add("--groups", std::to_string(that.groups));
    add("--ranks-per-group", std::to_string(that.ranks_per_group));
    add("--mode", that.mode.name);
    add("--epochs", std::to_string(that.epochs));
    add("--seed", std::to_string(options_.seed));
    for (const auto& settings : {options_.settings, that.mode.settings}) {
      for (const std::string& setting : settings) add("--set", setting);
    }
    add("--set", "judge_test=true");
    add("--run", run);
    words.emplace_back("--quiet");
    std::string path = options_.program;
    if (network != nullptr) {
      add("--group-prefix", network->on_host());
      add("--rendezvous", fmt::format("tcp:{}:{}", ShapedNetwork::kAddress, kPort));
      const std::vector<std::string> before = network->in_the_middle();
      words.insert(words.begin(), before.begin(), before.end());
      path = network->program();
    } else {
      words.erase(words.begin());
    }
    GODWIT_TRY(
        run_program({.path = path, .arguments = std::move(words), .deadline = options_.deadline},
                    options_.environment, signals_));
    GODWIT_TRY_ASSIGN(const std::string metrics, text_of(run + "/metrics.jsonl"));
    GODWIT_TRY_ASSIGN(const std::string groups, text_of(run + "/groups.csv"));
    return read_elastic_run(metrics, groups, options_.figure);
  }

 private:
  Result<std::string> text_of(const std::string& path) {
    GODWIT_TRY_ASSIGN(const std::vector<std::byte> bytes, disk_.read(path));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  const ElasticBenchOptions& options_;
  const SignalIntake& signals_;
  const std::string dir_;
  std::size_t number_ = 0;
  RealDisk disk_;
};

// The time to the target, against that of `sync`, and bytes against those of `alone`.
BenchResult result_of(const ElasticBenchOptions& options, const Case& that, const ElasticRun& run,
                      const ElasticRun& sync, const ElasticRun& alone) {
  const auto time = seconds_until(run.judged, options.target, options.is_larger_better);
  const auto against = seconds_until(sync.judged, options.target, options.is_larger_better);
  const double every = run.steps / std::max(1.0, run.exchanges);
  const double reduced = alone.sent_bytes / alone.samples / (run.sent_bytes / run.samples);
  return {.bench = "elastic",
          .case_name =
              fmt::format("{}/groups={}x{}", that.mode.name, that.groups, that.ranks_per_group),
          .value = time.value_or(0),
          .unit = "s",
          .limit = against.value_or(0),
          .ratio = time && against ? *against / *time : 0,
          .note = fmt::format("{} to {} {:g} on {}; links of {}; limit: sync",
                              time ? "time" : fmt::format("not in {} epochs", that.epochs),
                              options.figure, options.target, options.data,
                              options.rate.empty() ? "this machine" : options.rate),
          .figures = {
              {"final", run.judged.back().value},
              {"train_s", run.judged.back().seconds},
              {"every", every},
              {"exchanging", run.exchange_seconds / run.seconds},
              {"MB", run.sent_bytes / 1e6},
              {"bytes_less", reduced},
              {"of_ranks_x_every", reduced / (static_cast<double>(that.ranks_per_group) * every)}}};
}

}  // namespace

ElasticBenchOptions ElasticBenchOptions::full() {
  // Each with the best of a few rates and momenta: those of async are on top of its staleness.
  const std::vector<std::string> momentum{"learning_rate=0.05", "momentum=0.9"};
  return {.settings = {"hidden=128"},
          .modes = {{"sync", momentum},
                    {"async", {"learning_rate=0.1"}},
                    {"elastic", momentum},
                    {"outer", momentum}}};
}

ElasticBenchOptions ElasticBenchOptions::quick() {
  return {.task = "linreg",
          .data = "generated:linear,rows=2000,features=100",
          .settings = {"learning_rate=0.1", "batch=16"},
          .modes = {{"sync", {}}, {"elastic", {}}},
          .groups = {2},
          .ranks = 2,
          .epochs = 4,
          .rate = "",
          .figure = "rmse",
          .is_larger_better = false,
          .target = 0.8};
}

Result<> run_elastic_bench(const ElasticBenchOptions& options,
                           const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY(find_data(options.catalog, options.data));
  if (options.modes.empty() || options.modes[0].name != "sync") {
    return invalid_argument("the first mode must be sync: the others are compared with it");
  }
  for (const std::int64_t groups : options.groups) {
    if (groups >= 1 && options.ranks % groups == 0) continue;
    return invalid_argument("{} ranks do not make {} groups of one size", options.ranks, groups);
  }
  const SignalIntake signals;
  GODWIT_TRY_ASSIGN(
      const JobDir dir,
      JobDir::make(temporary_dir(value_of(options.environment, "TMPDIR").value_or(""))));
  std::unique_ptr<ShapedNetwork> network;
  if (!options.rate.empty()) {
    const std::int64_t most = *std::max_element(options.groups.begin(), options.groups.end());
    GODWIT_TRY_ASSIGN(network,
                      ShapedNetwork::make(most, options.rate, options.environment, signals));
  }
  Elastic elastic(options, signals, dir.path());
  GODWIT_TRY_ASSIGN(const ElasticRun alone,
                    elastic.train({.mode = {.name = "async", .settings = {}},
                                   .groups = options.ranks,
                                   .ranks_per_group = 1,
                                   .epochs = 1},
                                  nullptr));
  std::vector<NamedRun> all;
  for (const std::int64_t groups : options.groups) {
    std::optional<ElasticRun> sync;
    for (const ElasticBenchOptions::Mode& mode : options.modes) {
      const Case that{mode, groups, options.ranks / groups, options.epochs};
      GODWIT_TRY_ASSIGN(const ElasticRun run, elastic.train(that, network.get()));
      if (!sync) sync = run;
      const BenchResult result = result_of(options, that, run, *sync, alone);
      on_result(result);
      all.push_back({result.case_name, run});
    }
  }
  if (options.picture.empty()) return {};
  std::ofstream picture(options.picture);
  picture << elastic_picture(all, options.figure);
  return picture.good() ? Result<>() : unavailable("cannot write {}", options.picture);
}

}  // namespace godwit
