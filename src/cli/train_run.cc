// cli/train_run.cc: session, data, tables, checkpoint, directory, loop, report, in this order.
#include "cli/train_run.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/interrupts.h"
#include "cli/loop_notes.h"
#include "cli/node_agreement.h"
#include "cli/saved_run.h"
#include "cli/train_output.h"
#include "data/catalog.h"
#include "launch/launch_outcome.h"
#include "train/common_settings.h"
#include "train/saved_model.h"
#include "train/step_task.h"
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
    const std::int64_t workers = count_workers();
    // Before the data are read: who reads longer than others does not miss them.
    GODWIT_TRY_ASSIGN(
        session_,
        Session::open({.workers = workers, .servers = servers_of(settings_, options_.job_nodes)}));
    auto done = train_in_session(workers);
    if (!done.ok()) {
      if (is_first()) fail(done.error());
      (void)session_->close().ok();  // tells the others
      return done;
    }
    GODWIT_TRY(session_->close());
    return done;
  }

  // Whether the error that run() returned needs no words any more: node 0 has said it, for all.
  bool is_said() const { return is_said_ || (all_know_ && !is_first()); }

 private:
  bool is_first() const { return !session_ || session_->node() == NodeId{0}; }

  // Said before the session is closed, where the others wait for this node: one of them may be seen
  // to end first, and this is why.
  void fail(const Error& error) {
    if (session_) output_.on_steps(session_->take_step_report());  // until then, and what was wrong
    output_.fail(error);
    output_.warn(error.message());
    is_said_ = true;
  }

  std::int64_t count_workers() {
    if (settings_.is_auto("workers")) {
      const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
      const std::int64_t share = std::max<std::int64_t>(1, cores / options_.nodes_here);
      settings_.resolve("workers", std::to_string(share));
    }
    return settings_.count("workers");
  }

  // What came of a step that all nodes take, on all of them.
  Result<> together(const Result<>& mine) {
    GODWIT_TRY_ASSIGN(std::optional<Error> error, agree(*session_, mine));
    if (!error) return {};
    all_know_ = true;
    return std::move(*error);
  }

  Result<> read_data() {
    const Catalog catalog = catalog_of(environment_);
    GODWIT_TRY_ASSIGN(const DataSource source, find_data(catalog, options_.data));
    data_name_ = source.name;
    GODWIT_TRY_ASSIGN(task_, kind_.make(settings_, catalog, source));
    if (settings_.is_auto("judge_every")) {
      settings_.resolve("judge_every", std::to_string(task_->judge_every()));
    }
    return {};
  }

  // The run's directory comes last: what could go wrong before leaves nothing behind.
  Result<LoopState> prepare(std::int64_t workers) {
    GODWIT_TRY(together(read_data()));
    GODWIT_TRY_ASSIGN(std::optional<Error> other,
                      agree_on_settings(*session_, settings_, data_name_));
    if (other) {
      all_know_ = true;
      return std::move(*other);
    }
    GODWIT_TRY(together(task_->open(*session_, workers)));
    LoopState begin;
    if (options_.resume) {
      auto loaded = load(options_.run + "/ckpt");
      GODWIT_TRY(together(loaded.ok() ? Result<>() : Result<>(loaded.error())));
      begin = *loaded;
    }
    GODWIT_TRY(open_run_dir());
    return begin;
  }

  Result<int> train_in_session(std::int64_t workers) {
    GODWIT_TRY_ASSIGN(const LoopState begin, prepare(workers));
    if (is_first()) {
      output_.begin(settings_, *task_, session_->nodes(), workers, task_->epochs(),
                    options_.resume);
    }
    LoopEvents events;
    events.on_segment = [&](const SegmentReport& report) {
      output_.on_segment(report);
      output_.on_steps(session_->take_step_report());
    };
    events.on_going = [&] { output_.on_steps(session_->take_step_report()); };
    events.on_judged = [&](const JudgeReport& report) { output_.on_judged(report); };
    events.save = [&](const LoopState& state) { return save(state); };
    events.on_save_failed = [&](const Error& error) {
      if (is_first()) output_.warn("no checkpoint was written: " + error.message());
    };
    const LoopOptions loop{.workers = workers,
                           .judge_every = settings_.count("judge_every"),
                           .judges_test = settings_.flag("judge_test"),
                           .patience = settings_.count("patience"),
                           .seconds_max = 60 * settings_.number("max_minutes"),
                           .save_every = settings_.number("save_every"),
                           .counters = watched_counters(),
                           .levels = watched_levels()};
    auto trained = train(*session_, *task_, loop, begin, time_, interrupts_.stop(), events);
    // That the loss is no number is found by all nodes.
    if (!trained.ok()) all_know_ = trained.error().code() == ErrorCode::kAborted;
    GODWIT_TRY_ASSIGN(const LoopResult result, std::move(trained));
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
    if (is_interrupted) return kExitInterrupted;
    return result.is_saved ? kExitOk : kExitFailed;  // a model that is lost is no success
  }

  // Node 0 makes it, all know it; if that fails, all fail.
  Result<> open_run_dir() {
    Result<std::string> mine{std::string()};
    if (is_first()) mine = output_.open(data_name_);
    GODWIT_TRY(together(mine.ok() ? Result<>() : Result<>(mine.error())));
    GODWIT_TRY_ASSIGN(const std::vector<std::string> told, session_->gather(*mine));
    run_path_ = told[0];
    return {};
  }

  std::string checkpoint_dir() const { return SavedModel::checkpoints_of(run_path_); }

  Result<> save(const LoopState& state) {
    SaveOptions how{.keep = settings_.count("keep")};
    for (auto& [name, bytes] : task_->save_own()) how.files.push_back({name, std::move(bytes)});
    return session_->save(checkpoint_dir(), checkpoint_step(state.next, *task_),
                          loop_notes(state, *task_, kind_.name, data_name_, settings_), how);
  }

  Result<LoopState> load(const std::string& directory) {
    GODWIT_TRY_ASSIGN(const CheckpointReader reader, load_checkpoint(*session_, *task_, directory));
    return loop_state_of(reader, *task_, data_name_);
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
  std::string data_name_;
  std::string run_path_;
  bool all_know_ = false;  // of the error: all nodes have the same
  bool is_said_ = false;
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
  TrainRun run(options, kind, std::move(settings), environment, out, err);
  auto code = run.run();
  if (code.ok()) return *code;
  if (!run.is_said()) err << "godwit train: " << code.error().message() << std::endl;
  return exit_code_of(code.error());
}

}  // namespace godwit
