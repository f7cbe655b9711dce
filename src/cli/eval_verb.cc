// cli/eval_verb.cc: `godwit eval [RUN]`: how good a trained model is, on data of its kind.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <ostream>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/json_text.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/saved_run.h"
#include "cli/train_run.h"
#include "cli/verbs.h"
#include "train/common_settings.h"
#include "train/figure_text.h"
#include "train/saved_model.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

struct EvalOptions {
  std::string run = "latest";
  std::string data;   // empty: the run's own
  std::string split;  // empty: test if there is one, else valid
  bool json = false;
};

struct Judged {
  std::string run;
  std::string task;
  std::string data;
  std::string split;
  std::int64_t step = 0;
  Figures figures;
};

// Rows mean what they did only if they are called what they were.
Result<> check_names(Disk& disk, const SavedRun& run, const Task& task, const std::string& data) {
  GODWIT_TRY_ASSIGN(const RowNames saved, read_row_names(disk, SavedModel::names_of(run.path)));
  const RowNames now = task.names();
  for (const auto& [table, names] : saved) {
    const auto found = now.find(table);
    if (found == now.end() || found->second == names) continue;
    return invalid_argument(
        "rows of '{}' are called otherwise in '{}' than in the run: it was made with other data "
        "('{}')",
        table, data, run.data);
  }
  return {};
}

Result<Split> choose_split(const EvalOptions& options, const Task& task, const std::string& data) {
  if (!task.has(Split::kTest) && !task.has(Split::kValid)) {
    return invalid_argument("there is nothing to judge by: no {}", task.judged_by());
  }
  if (options.split.empty()) return task.has(Split::kTest) ? Split::kTest : Split::kValid;
  const Split split = options.split == "valid" ? Split::kValid : Split::kTest;
  if (!task.has(split)) return invalid_argument("'{}' has nothing to {} on", data, options.split);
  return split;
}

Result<Judged> judge_in_session(Session& session, Task& task, const SavedRun& run,
                                const std::string& data, Split split) {
  const std::int64_t workers = run.settings.count("workers");
  GODWIT_TRY(task.open(session, workers));
  GODWIT_TRY_ASSIGN(const CheckpointReader reader,
                    load_checkpoint(session, task, SavedModel::checkpoints_of(run.path)));
  GODWIT_TRY_ASSIGN(auto made, make_workers(session, workers));
  GODWIT_TRY_ASSIGN(Figures figures, judge(session, task, made, split));
  return Judged{.run = run.path,
                .task = run.kind->name,
                .data = data,
                .split = split == Split::kValid ? "valid" : "test",
                .step = reader.step(),
                .figures = std::move(figures)};
}

Result<Judged> evaluate(const EvalOptions& options) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(SavedRun run, find_saved_run(disk, options.run));
  GODWIT_TRY(check_common_settings(run.settings));
  const std::string data = options.data.empty() ? run.data : options.data;
  const Catalog catalog = catalog_of(parse_environment(environ));
  auto source = find_data(catalog, data);
  if (!source.ok()) {
    return std::move(source).error().in_context("the data of the run (--data names others)");
  }
  GODWIT_TRY_ASSIGN(const auto task, run.kind->make(run.settings, catalog, *source));
  GODWIT_TRY(check_names(disk, run, *task, data));
  GODWIT_TRY_ASSIGN(const Split split, choose_split(options, *task, data));
  GODWIT_TRY_ASSIGN(Session session,
                    Session::open({.nodes = 1, .workers = run.settings.count("workers")}));
  GODWIT_TRY_ASSIGN(Judged judged, judge_in_session(session, *task, run, data, split));
  GODWIT_TRY(session.close());
  return judged;
}

void print(const Judged& judged, bool json, std::ostream& out) {
  if (json) {
    JsonText text;
    text.begin_object().field("run", judged.run).field("task", judged.task);
    text.field("data", judged.data).field("split", judged.split).field("step", judged.step);
    for (const auto& [name, value] : judged.figures) text.field(name, value);
    out << text.end_object().take() << "\n";
    return;
  }
  out << fmt::format("{} on {}, {}, step {} of {}:\n", judged.task, judged.data, judged.split,
                     judged.step, judged.run);
  for (const auto& [name, value] : judged.figures) {
    out << fmt::format("  {} {}", name, figure_text(name, value));
  }
  out << "\n";
}

int run_eval(const EvalOptions& options, std::ostream& out, std::ostream& err) {
  const auto judged = evaluate(options);
  if (!judged.ok()) {
    err << "godwit eval: " << judged.error().message() << "\n";
    return exit_code_of(judged.error());
  }
  print(*judged, options.json, out);
  return kExitOk;
}

}  // namespace

void add_eval_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("eval", "judge a trained model on held-out data");
  auto options = std::make_shared<EvalOptions>();
  verb->add_option("RUN", options->run, "latest, a name in runs/, or a path")
      ->capture_default_str();
  verb->add_option("--data", options->data, "other data, with the same names (default: the run's)");
  verb->add_option("--split", options->split, "valid or test (default: test, if there is one)")
      ->check(CLI::IsMember({"valid", "test"}));
  verb->add_flag("--json", options->json, "one object");
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_eval(*options, out, err);
    };
  });
}

}  // namespace godwit
