// cli/bench_verb.cc: `godwit bench store | remote`: this machine against its limits.
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "bench/remote_bench.h"
#include "bench/store_bench.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/bench_report.h"

namespace godwit {
namespace {

struct BenchOptions {
  bool quick = false;
  bool json = false;
};

using OnResult = std::function<void(const BenchResult&)>;

// Runs a benchmark and prints its results: a table at the end, or a line each.
int run_bench(const std::string& name, const BenchOptions& options,
              const std::function<Result<>(const OnResult&)>& run, std::ostream& out,
              std::ostream& err) {
  std::vector<BenchResult> results;
  const auto done = run([&](const BenchResult& result) {
    if (options.json) out << to_json_line(result) << std::endl;
    if (!options.json) err << result.case_name << std::endl;  // progress
    results.push_back(result);
  });
  if (!options.json) out << to_text(results);
  if (done.ok()) return kExitOk;
  err << "godwit bench " << name << ": " << done.error().message() << "\n";
  return kExitFailed;
}

}  // namespace

void add_bench_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("bench", "measure this machine against its limits");
  verb->require_subcommand(1);
  const auto add = [&](const char* name, const char* what,
                       std::function<Result<>(bool quick, const OnResult&)> run) {
    CLI::App* bench = verb->add_subcommand(name, what);
    auto options = std::make_shared<BenchOptions>();
    bench->add_flag("--quick", options->quick, "the main cases only, in under 30 s");
    bench->add_flag("--json", options->json, "one JSON object a line instead of a table");
    bench->callback([options, name, run, &action] {
      action = [options, name, run](std::ostream& out, std::ostream& err) {
        const auto bound = [&](const OnResult& on_result) {
          return run(options->quick, on_result);
        };
        return run_bench(name, *options, bound, out, err);
      };
    });
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
}

}  // namespace godwit
