// cli/demo_verb.cc: `godwit demo`: a first result that can be judged, in seconds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "train/factorization.h"

namespace godwit {
namespace {

// The demo promises to come this near to what no model can beat.
constexpr double kExcessMax = 0.05;

struct DemoOptions {
  LowRankSpec matrix;
  FactorizationOptions training;
};

int report_error(const Error& error, std::ostream& err) {
  err << "godwit demo: " << error.message() << "\n";
  return error.code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

int run_demo(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  if (const auto checked = options.matrix.validate(); !checked.ok()) {
    return report_error(checked.error(), err);
  }
  const auto begin = std::chrono::steady_clock::now();
  out << fmt::format(
      "A {} x {} matrix of rank {} with noise {}: {} entries to learn from, {} held out.\n",
      options.matrix.rows, options.matrix.columns, options.matrix.rank, options.matrix.noise,
      options.matrix.ratings, options.matrix.held_out);
  const LowRankData data = make_low_rank(options.matrix);
  auto session = Session::open();
  if (!session.ok()) return report_error(session.error(), err);
  const auto last =
      factorize(*session, options.matrix, data, options.training, [&](const EpochReport& report) {
        out << fmt::format("epoch {:>3}   train {:.4f}   held out {:.4f}\n", report.epoch,
                           report.train_rmse, report.held_out_rmse)
            << std::flush;
      });
  if (!last.ok()) return report_error(last.error(), err);
  const double excess = last->held_out_rmse / data.noise_floor - 1;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto metrics = session->metrics();
  out << fmt::format(
      "\nRMSE {:.4f}, noise floor {:.4f}: {:.1f} % above what no model can beat (promised: {:.0f} "
      "%).\n{} workers, {:.1f} s, {:.0f} M rows pulled, {:.0f} M gradients pushed.\n",
      last->held_out_rmse, data.noise_floor, 100 * excess, 100 * kExcessMax,
      options.training.workers, elapsed.count(), metrics.at("pull.keys") / 1e6,
      metrics.at("push.keys") / 1e6);
  if (excess <= kExcessMax) return kExitOk;
  err << "godwit demo: the result is too far from the noise floor\n";
  return kExitFailed;
}

}  // namespace

void add_demo_verb(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("demo", "factorize a generated matrix and compare with its noise floor");
  auto options = std::make_shared<DemoOptions>();
  options->training.workers = std::max(1U, std::thread::hardware_concurrency());
  verb->add_option("--rows", options->matrix.rows, "rows of the matrix")->capture_default_str();
  verb->add_option("--columns", options->matrix.columns, "its columns")->capture_default_str();
  verb->add_option("--ratings", options->matrix.ratings, "entries to learn from")
      ->capture_default_str();
  verb->add_option("--noise", options->matrix.noise, "standard deviation of the noise")
      ->capture_default_str();
  verb->add_option("--epochs", options->training.epochs, "times over the data")
      ->capture_default_str();
  verb->add_option("--workers", options->training.workers, "threads")->capture_default_str();
  verb->add_option("--seed", options->matrix.seed, "of the generated matrix")
      ->capture_default_str();
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_demo(*options, out, err);
    };
  });
}

}  // namespace godwit
