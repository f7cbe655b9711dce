// cli/bench_verb.cc: `godwit bench store`: this machine against its limits.
#include <memory>
#include <ostream>
#include <vector>

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

int run_store(const BenchOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<BenchResult> results;
  const auto done =
      run_store_bench(options.quick ? StoreBenchOptions::quick() : StoreBenchOptions::full(),
                      [&](const BenchResult& result) {
                        if (options.json) out << to_json_line(result) << std::endl;
                        if (!options.json) err << result.case_name << std::endl;  // progress
                        results.push_back(result);
                      });
  if (!options.json) out << to_text(results);
  if (done.ok()) return kExitOk;
  err << "godwit bench store: " << done.error().message() << "\n";
  return kExitFailed;
}

}  // namespace

void add_bench_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("bench", "measure this machine against its limits");
  verb->require_subcommand(1);
  CLI::App* store = verb->add_subcommand(
      "store", "rows in memory against a plain array: pull, push, rows in place");
  auto options = std::make_shared<BenchOptions>();
  store->add_flag("--quick", options->quick, "the main cases only, in under 30 s");
  store->add_flag("--json", options->json, "one JSON object a line instead of a table");
  store->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_store(*options, out, err);
    };
  });
}

}  // namespace godwit
