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
#include "bench/missed_cases.h"
#include "bench/run_program.h"
#include "bench/shaped_network.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

constexpr int kPort = 7077;
constexpr double kBytesWanted = 0.9;  // of ranks of a group x steps between exchanges
constexpr double kEndSlack = 0.005;   // of the figure, against sync

struct Case {
  ElasticBenchOptions::Mode mode;
  std::int64_t groups = 1;
  std::int64_t ranks_per_group = 1;
  std::int64_t epochs = 1;
};

std::string groups_text(const Case& that) {
  return fmt::format("groups={}x{}", that.groups, that.ranks_per_group);
}

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

// A case beside those that it is compared with: sync in as many groups, and ranks each for itself.
class Compared {
 public:
  Compared(const ElasticBenchOptions& options, const Case& that, const ElasticRun& run,
           const ElasticRun& sync, const ElasticRun& alone)
      : options_(options),
        that_(that),
        run_(run),
        sync_(sync),
        every_(run.steps / std::max(1.0, run.exchanges)),
        bytes_less_(alone.sent_bytes / alone.samples / (run.sent_bytes / run.samples)),
        bytes_less_limit_(static_cast<double>(that.ranks_per_group) * every_) {}

  // The first is that of times; the others only if something is wanted.
  std::vector<BenchResult> results() const {
    std::vector<BenchResult> all{times()};
    if (that_.mode.wanted <= 0) return all;
    all.front().figures.emplace_back(kWanted, that_.mode.wanted);
    all.push_back(bytes());
    all.push_back(ends());
    return all;
  }

 private:
  std::string name() const { return fmt::format("{}/{}", that_.mode.name, groups_text(that_)); }

  BenchResult times() const {
    const auto time = seconds_until(run_.judged, options_.target, options_.is_larger_better);
    const auto against = seconds_until(sync_.judged, options_.target, options_.is_larger_better);
    return {.bench = "elastic",
            .case_name = name(),
            .value = time.value_or(0),
            .unit = "s",
            .limit = against.value_or(0),
            .ratio = time && against ? *against / *time : 0,
            .note = fmt::format("{} to {} {:g} on {}; links of {}; limit: sync",
                                time ? "time" : fmt::format("not in {} epochs", that_.epochs),
                                options_.figure, options_.target, options_.data,
                                options_.rate.empty() ? "this machine" : options_.rate),
            .figures = {{"final", run_.judged.back().value},
                        {"train_s", run_.judged.back().seconds},
                        {"every", every_},
                        {"exchanging", run_.exchange_seconds / run_.seconds},
                        {"MB", run_.sent_bytes / 1e6},
                        {"bytes_less", bytes_less_},
                        {"of_ranks_x_every", bytes_less_ / bytes_less_limit_}}};
  }

  BenchResult bytes() const {
    return {.bench = "elastic",
            .case_name = name() + "/bytes",
            .value = bytes_less_,
            .unit = "times less",
            .limit = bytes_less_limit_,
            .ratio = bytes_less_ / bytes_less_limit_,
            .note =
                "sent for a sample, against ranks each for itself; limit: ranks of a group x "
                "steps between exchanges",
            .figures = {{kWanted, kBytesWanted}}};
  }

  BenchResult ends() const {
    const double value = run_.judged.back().value;
    const double limit = sync_.judged.back().value;
    const bool is_larger_better = options_.is_larger_better;
    return {.bench = "elastic",
            .case_name = name() + "/final",
            .value = value,
            .unit = options_.figure,
            .limit = limit,
            .ratio = is_larger_better ? value / limit : limit / value,
            .note = fmt::format("at the end; limit: sync; wanted: no worse by {:g}", kEndSlack),
            .figures = {{kWanted, is_larger_better ? (limit - kEndSlack) / limit
                                                   : limit / (limit + kEndSlack)}}};
  }

  const ElasticBenchOptions& options_;
  const Case& that_;
  const ElasticRun& run_;
  const ElasticRun& sync_;
  const double every_;
  const double bytes_less_;
  const double bytes_less_limit_;
};

}  // namespace

ElasticBenchOptions ElasticBenchOptions::full() {
  // Each with the best of a few rates and momenta: those of async are on top of its staleness.
  const std::vector<std::string> momentum{"learning_rate=0.05", "momentum=0.9"};
  return {.settings = {"hidden=128"},
          .modes = {{"sync", momentum},
                    {"async", {"learning_rate=0.1"}},
                    {"elastic", momentum, 3},
                    {"outer", momentum, 3}}};
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
      const Compared compared(options, that, run, *sync, alone);
      for (const BenchResult& result : compared.results()) on_result(result);
      all.push_back({mode.name, groups_text(that), run});
    }
  }
  if (options.picture.empty()) return {};
  std::ofstream picture(options.picture);
  picture << elastic_picture(all, options.figure);
  return picture.good() ? Result<>() : unavailable("cannot write {}", options.picture);
}

}  // namespace godwit
