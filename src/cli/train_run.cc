// cli/train_run.cc: data, session, tables, checkpoint, loop, report, in this order.
#include "cli/train_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/parse_number.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/interrupts.h"
#include "cli/saved_run.h"
#include "cli/train_output.h"
#include "data/catalog.h"
#include "launch/launch_outcome.h"
#include "train/common_settings.h"
#include "train/saved_model.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

class TrainRun {
 public:
  TrainRun(const TrainOptions& options, const TaskKind& kind, Settings settings,
           const Environment& environment, std::ostream& out, std::ostream& err)
      : options_(options),
        kind_(kind),
        settings_(std::move(settings)),
        environment_(environment),
        output_(options, kind, disk_, time_, out, err) {}

  Result<int> run() {
    GODWIT_TRY(check_common_settings(settings_));
    const Catalog catalog = catalog_of(environment_);
    GODWIT_TRY_ASSIGN(const DataSource source, find_data(catalog, options_.data));
    GODWIT_TRY_ASSIGN(task_, kind_.make(settings_, catalog, source));
    if (settings_.is_auto("judge_every")) {
      settings_.resolve("judge_every", std::to_string(task_->judge_every()));
    }
    GODWIT_TRY_ASSIGN(const std::int64_t workers, count_workers());
    GODWIT_TRY_ASSIGN(session_, Session::open({.workers = workers}));
    auto done = train_in_session(source, workers);
    if (!done.ok()) {
      if (is_first()) output_.fail(done.error());
      (void)session_->close().ok();  // tells the others; the error is said by the caller
      return done;
    }
    GODWIT_TRY(session_->close());
    return done;
  }

 private:
  bool is_first() const { return session_->node() == NodeId{0}; }

  Result<std::int64_t> count_workers() {
    if (settings_.is_auto("workers")) {
      const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
      const auto nodes = number_of(environment_, "GODWIT_NODES");
      GODWIT_TRY(nodes);
      const std::int64_t here = std::max<std::int64_t>(1, nodes->value_or(1));
      settings_.resolve("workers", std::to_string(std::max<std::int64_t>(1, cores / here)));
    }
    return settings_.count("workers");
  }

  Result<int> train_in_session(const DataSource& source, std::int64_t workers) {
    GODWIT_TRY(open_run_dir(source));
    GODWIT_TRY(task_->open(*session_, workers));
    Cursor begin;
    if (options_.resume) {
      GODWIT_TRY_ASSIGN(begin, load());
    }
    if (is_first()) {
      output_.begin(settings_, *task_, session_->nodes(), workers, task_->epochs(),
                    options_.resume);
    }
    LoopEvents events;
    events.on_segment = [&](const SegmentReport& report) { output_.on_segment(report); };
    events.on_judged = [&](const JudgeReport& report) { output_.on_judged(report); };
    events.save = [&](const Cursor& next) { return save(next); };
    events.on_save_failed = [&](const Error& error) {
      if (is_first()) output_.warn("no checkpoint was written: " + error.message());
    };
    const LoopOptions loop{.workers = workers,
                           .judge_every = settings_.count("judge_every"),
                           .patience = settings_.count("patience"),
                           .seconds_max = 60 * settings_.number("max_minutes"),
                           .save_every = settings_.number("save_every"),
                           .watch = watched_metrics()};
    GODWIT_TRY_ASSIGN(const LoopResult result,
                      train(*session_, *task_, loop, begin, time_, interrupts_.stop(), events));
    const bool is_interrupted = result.cause == StopCause::kInterrupted;
    if (is_first()) {
      std::vector<RunSection> sections;
      if (!is_interrupted) {
        GODWIT_TRY_ASSIGN(Worker worker, session_->worker());
        GODWIT_TRY_ASSIGN(sections, task_->show(worker));
      }
      output_.end(result, sections);
    }
    GODWIT_TRY(session_->barrier());
    return is_interrupted ? kExitInterrupted : kExitOk;
  }

  // Node 0 makes it, all know it; if that fails, all fail.
  Result<> open_run_dir(const DataSource& source) {
    Result<std::string> mine{std::string()};
    if (is_first()) mine = output_.open(source.name);
    GODWIT_TRY_ASSIGN(const std::vector<std::string> told,
                      session_->gather(mine.ok() ? "+" + *mine : "-"));
    GODWIT_TRY(mine);
    if (told[0].empty() || told[0][0] != '+') {
      return unavailable("node 0 could not make the directory of the run");
    }
    run_path_ = told[0].substr(1);
    return {};
  }

  std::string checkpoint_dir() const { return SavedModel::checkpoints_of(run_path_); }

  Result<> save(const Cursor& next) {
    CheckpointNotes notes;
    notes.entries["epoch"] = std::to_string(next.epoch);
    notes.entries["segment"] = std::to_string(next.segment);
    notes.entries["segments"] = std::to_string(task_->segments());
    notes.entries["task"] = kind_.name;
    notes.entries["data"] = options_.data;
    for (const Setting& setting : settings_.all()) {
      notes.entries["setting." + setting.name] = setting.value;
    }
    for (const auto& [name, value] : task_->constants()) {
      notes.entries["model." + name] = fmt::format("{}", value);
    }
    SaveOptions how{.keep = settings_.count("keep")};
    for (auto& [name, bytes] : task_->save_own()) how.files.push_back({name, std::move(bytes)});
    const std::int64_t step = next.epoch * task_->segments() + next.segment;
    return session_->save(checkpoint_dir(), step, notes, how);
  }

  Result<Cursor> load() {
    GODWIT_TRY_ASSIGN(const CheckpointReader reader,
                      load_checkpoint(*session_, *task_, checkpoint_dir()));
    const auto& notes = reader.notes().entries;
    const auto number = [&](const char* name) {
      const auto found = notes.find(name);
      return found == notes.end() ? std::nullopt : parse_number<std::int64_t>(found->second);
    };
    if (number("segments") != task_->segments()) {
      return invalid_argument("{} is of other data than {}", reader.path(), options_.data);
    }
    return Cursor{.epoch = number("epoch").value_or(0), .segment = number("segment").value_or(0)};
  }

  const TrainOptions& options_;
  const TaskKind& kind_;
  Settings settings_;
  const Environment& environment_;
  RealDisk disk_;
  const RealTime time_;
  const Interrupts interrupts_;
  TrainOutput output_;
  std::unique_ptr<Task> task_;
  std::optional<Session> session_;
  std::string run_path_;
};

}  // namespace

int exit_code_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
      return kExitUsage;
    case ErrorCode::kUnavailable:
      return kExitLostNodes;
    default:
      return kExitFailed;
  }
}

int run_training(const TrainOptions& options, const TaskKind& kind, Settings settings,
                 const Environment& environment, std::ostream& out, std::ostream& err) {
  auto code = TrainRun(options, kind, std::move(settings), environment, out, err).run();
  if (code.ok()) return *code;
  err << "godwit train: " << code.error().message() << std::endl;
  return exit_code_of(code.error());
}

}  // namespace godwit
