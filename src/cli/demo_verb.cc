// cli/demo_verb.cc: `godwit demo`: a first result that can be judged, in seconds.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "launch/discovery.h"
#include "launch/environment.h"
#include "launch/launch_outcome.h"
#include "launch/launcher.h"
#include "train/factorization.h"

namespace godwit {
namespace {

// The demo promises to come this near to what no model can beat.
constexpr double kExcessMax = 0.05;

struct DemoOptions {
  LowRankSpec matrix;
  FactorizationOptions training;
  std::int64_t nodes = 4;
  std::vector<std::string> arguments;  // of this process, to start the others with
};

int report_error(const Error& error, std::ostream& err) {
  err << "godwit demo: " << error.message() << "\n";
  if (error.code() == ErrorCode::kInvalidArgument) return kExitUsage;
  return error.code() == ErrorCode::kUnavailable ? kExitLostNodes : kExitFailed;
}

void print_epoch(const EpochReport& report, std::ostream& out) {
  out << fmt::format("epoch {:>3}   train {:.4f}   held out {:.4f}\n", report.epoch,
                     report.train_rmse, report.held_out_rmse)
      << std::flush;
}

// What node 0 says at the end.
int judge(const EpochReport& last, const LowRankData& data, const Session& session,
          const DemoOptions& options, double seconds, std::ostream& out, std::ostream& err) {
  const double excess = last.held_out_rmse / data.noise_floor - 1;
  out << fmt::format(
      "\nRMSE {:.4f}, noise floor {:.4f}: {:.1f} % above what no model can beat (promised: {:.0f} "
      "%).\n{} nodes x {} workers, {:.1f} s.\n",
      last.held_out_rmse, data.noise_floor, 100 * excess, 100 * kExcessMax, session.nodes(),
      options.training.workers, seconds);
  if (excess <= kExcessMax) return kExitOk;
  err << "godwit demo: the result is too far from the noise floor\n";
  return kExitFailed;
}

// One node's part.
int run_node(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  const auto begin = std::chrono::steady_clock::now();
  auto session = Session::open();
  if (!session.ok()) return report_error(session.error(), err);
  const bool speaks = session->node() == NodeId{0};
  if (speaks) {
    out << fmt::format(
        "A {} x {} matrix of rank {} with noise {}: {} entries to learn from, {} held out.\n",
        options.matrix.rows, options.matrix.columns, options.matrix.rank, options.matrix.noise,
        options.matrix.ratings, options.matrix.held_out);
  }
  const LowRankData data = make_low_rank(options.matrix);
  const auto last = factorize(*session, options.matrix, data, options.training,
                              [&](const EpochReport& report) { print_epoch(report, out); });
  if (!last.ok()) {
    const int code = report_error(last.error(), err);
    (void)session->close().ok();  // tells the others; the error was said already
    return code;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const int verdict =
      speaks ? judge(*last, data, *session, options, elapsed.count(), out, err) : kExitOk;
  if (const auto closed = session->close(); !closed.ok()) return report_error(closed.error(), err);
  return verdict;
}

// Starts this program once per node; node 0's words are the demo's.
int run_nodes(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<std::string> command{"/proc/self/exe", "demo"};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  RealDisk disk;
  const RealTime time;
  out << std::flush;
  const auto outcome = launch({.nodes = options.nodes,
                               .command = command,
                               .environment = parse_environment(environ),
                               .writes_logs = false},
                              disk, time);
  if (!outcome.ok()) return report_error(outcome.error(), err);
  err << describe(*outcome, options.nodes);
  return outcome->exit_code;
}

int run_demo(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  for (const auto& checked : {options.matrix.validate(), options.training.validate()}) {
    if (!checked.ok()) return report_error(checked.error(), err);
  }
  if (options.nodes < 1) {
    return report_error(Error(ErrorCode::kInvalidArgument,
                              fmt::format("nodes is {}, but must be at least 1", options.nodes)),
                        err);
  }
  const auto place = discover(parse_environment(environ), {}, this_process());
  if (!place.ok()) return report_error(place.error(), err);
  const bool is_alone = place->nodes == 1;
  return is_alone && options.nodes > 1 ? run_nodes(options, out, err) : run_node(options, out, err);
}

}  // namespace

void add_demo_verb(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("demo", "factorize a generated matrix and compare with its noise floor");
  auto options = std::make_shared<DemoOptions>();
  verb->add_option("--rows", options->matrix.rows, "rows of the matrix")->capture_default_str();
  verb->add_option("--columns", options->matrix.columns, "its columns")->capture_default_str();
  verb->add_option("--ratings", options->matrix.ratings, "entries to learn from")
      ->capture_default_str();
  verb->add_option("--noise", options->matrix.noise, "standard deviation of the noise")
      ->capture_default_str();
  verb->add_option("--epochs", options->training.epochs, "times over the data")
      ->capture_default_str();
  verb->add_option("--nodes", options->nodes, "processes on this machine")->capture_default_str();
  verb->add_option("--workers", options->training.workers, "threads of each")
      ->capture_default_str();
  verb->add_option("--seed", options->matrix.seed, "of the generated matrix")
      ->capture_default_str();
  verb->callback([options, verb, &action] {
    for (const CLI::Option* option : verb->get_options()) {
      if (option->count() == 0) continue;
      options->arguments.push_back(option->get_name());
      options->arguments.push_back(option->as<std::string>());
    }
    action = [options](std::ostream& out, std::ostream& err) {
      return run_demo(*options, out, err);
    };
  });
}

}  // namespace godwit
