// cli/group_train_run.cc: all agree at the start; then ranks learn, node 0 watches, and other table
// nodes do what it says. Whoever is started anew while others work joins without a word.
#include "cli/group_train_run.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/groups_text.h"
#include "cli/interrupts.h"
#include "cli/loop_notes.h"
#include "cli/node_agreement.h"
#include "cli/saved_run.h"
#include "cli/train_output.h"
#include "cli/train_run.h"
#include "group/group.h"
#include "group/inproc_group.h"
#include "group/mpi_group.h"
#include "launch/launch_outcome.h"
#include "train/common_settings.h"
#include "train/group_learner.h"
#include "train/group_settings.h"
#include "train/group_watch.h"
#include "train/saved_model.h"

namespace godwit {
namespace {

constexpr std::chrono::seconds kRejoinWithin{20};
// Table nodes wait for orders as long as the job takes.
constexpr std::chrono::hours kTraining{24 * 365};
constexpr const char* kEndOrder = "end";

class GroupTrainRun {
 public:
  GroupTrainRun(const TrainOptions& options, const TaskKind& kind, Settings settings,
                const JobPlace& place, const Environment& environment, std::ostream& out,
                std::ostream& err)
      : options_(options),
        kind_(kind),
        settings_(std::move(settings)),
        place_(place),
        environment_(environment),
        output_(options, kind, disk_, time_, out, err) {}

  Result<int> run() {
    auto done = run_part();
    if (done.ok()) return done;
    // Before the session is closed, which may take its time. Where all know, all end by themselves.
    if (group_ != nullptr && !all_know_) group_->give_up(done.error());
    if (session_ && !is_closed_) {
      if (is_first()) fail(done.error());
      (void)session_->close().ok();  // tells the others
    }
    return done;
  }

  // Whether the error that run() returned needs no words any more: node 0 has said it, for all.
  bool is_said() const { return is_said_ || (all_know_ && !is_first()); }

 private:
  bool is_first() const { return place_.node == NodeId{0}; }
  // In a life after the first of a group the others have long agreed.
  bool is_at_start() const { return !place_.group || place_.group->life == 0; }
  std::int64_t ranks() const { return (place_.nodes - place_.servers) / groups_of(settings_); }

  // Said before the session is closed: see TrainRun.
  void fail(const Error& error) {
    output_.fail(error);
    output_.warn(error.message());
    is_said_ = true;
  }

  Result<> together(const Result<>& mine) {
    if (!is_at_start()) return mine;
    GODWIT_TRY_ASSIGN(std::optional<Error> error, agree(*session_, mine));
    if (!error) return {};
    all_know_ = true;
    return std::move(*error);
  }

  Result<int> run_part() {
    GODWIT_TRY(check_common_settings(settings_));
    GODWIT_TRY(
        settings_.set("ranks_per_group", std::to_string(ranks()), SettingSource::kEnvironment));
    if (place_.group) GODWIT_TRY(open_group());
    const bool is_rank = place_.group.has_value();
    GODWIT_TRY_ASSIGN(
        session_,
        Session::open({.workers = is_rank ? 1 : 0,
                       .servers = place_.servers,
                       .rejoin_within = kRejoinWithin,
                       .wait_max = is_rank ? SessionOptions{}.wait_max
                                           : std::chrono::seconds(std::chrono::hours(kTraining))}));
    auto done = run_in_session();
    if (!done.ok()) return done;
    is_closed_ = true;
    GODWIT_TRY(session_->close());
    return done;
  }

  // Before the session: MPI may have its own words about who is there.
  Result<> open_group() {
    std::unique_ptr<Exchanger> exchanger;
    if (place_.group->size == 1) {
      exchanger = std::move(make_inproc_exchangers(1)[0]);
    } else {
      GODWIT_TRY_ASSIGN(mpi_, MpiRuntime::begin());
      GODWIT_TRY_ASSIGN(exchanger, mpi_->exchanger());
    }
    GODWIT_TRY_ASSIGN(group_, Group::open(std::move(exchanger), {}));
    if (group_->size() == place_.group->size) return {};
    return invalid_argument("MPI has started {} ranks, but the group has {}", group_->size(),
                            place_.group->size);
  }

  Result<> read_data() {
    const Catalog catalog = catalog_of(environment_);
    GODWIT_TRY_ASSIGN(const DataSource source, find_data(catalog, options_.data));
    data_name_ = source.name;
    GODWIT_TRY_ASSIGN(task_, kind_.make(settings_, catalog, source));
    if (settings_.is_auto("judge_every")) {
      settings_.resolve("judge_every", std::to_string(task_->judge_every()));
    }
    if (settings_.is_auto("workers")) settings_.resolve("workers", "1");
    if (settings_.count("workers") != 1) {
      return invalid_argument("workers is {}, but a rank is one: take more ranks_per_group",
                              settings_.count("workers"));
    }
    std::uint64_t rows = 0;
    for (const StepTable& table : task_->step_model()->tables()) rows += table.rows;
    if (rows < static_cast<std::uint64_t>(ranks())) {
      return invalid_argument("{} ranks in a group, but the model has only {} rows to share",
                              ranks(), rows);
    }
    return {};
  }

  Result<int> run_in_session() {
    GODWIT_TRY(together(read_data()));
    if (is_at_start()) {
      GODWIT_TRY_ASSIGN(std::optional<Error> other,
                        agree_on_settings(*session_, settings_, data_name_));
      all_know_ = other.has_value();
      if (other) return std::move(*other);
    }
    GODWIT_TRY(together(task_->open(*session_, 1)));
    GODWIT_TRY_ASSIGN(ProgressBoard board, ProgressBoard::open(*session_, groups_of(settings_)));
    LoopState begin;
    if (options_.resume && is_at_start()) {
      auto loaded = load();
      GODWIT_TRY(together(loaded.ok() ? Result<>() : Result<>(loaded.error())));
      begin = *loaded;
    }
    if (place_.group) return learn(board, begin);
    Result<std::string> path{std::string()};
    if (is_first()) path = output_.open(data_name_);
    if (!path.ok()) return path.error();
    return is_first() ? watch(board, begin) : obey();
  }

  Result<int> learn(ProgressBoard& board, const LoopState& begin) {
    GODWIT_TRY_ASSIGN(Worker worker, session_->worker());
    const RankPlace& mine = *place_.group;
    GODWIT_TRY_ASSIGN(const GroupsView view,
                      session_->join_group({.group = mine.group,
                                            .rank = mine.rank,
                                            .size = mine.size,
                                            .incarnation = static_cast<std::uint64_t>(mine.life)}));
    const LearnerPlace place{.group = mine.group,
                             .groups = mine.groups,
                             .rank = mine.rank,
                             .ranks = mine.size,
                             .samples = static_cast<std::uint64_t>(begin.next.epoch) *
                                        task_->step_model()->samples() /
                                        static_cast<std::uint64_t>(mine.groups)};
    GroupLearner learner(*task_->step_model(), group_training_of(settings_), place, *session_,
                         worker, *group_, task_->tables(), board, time_);
    GODWIT_TRY(learner.run(view));
    return kExitOk;
  }

  Result<int> watch(ProgressBoard& board, const LoopState& begin) {
    output_.begin(settings_, *task_, session_->nodes(), 1, task_->epochs(), options_.resume);
    std::vector<GroupWork> work;
    GroupWatchEvents events;
    events.loop.on_segment = [&](const SegmentReport& report) { output_.on_segment(report); };
    events.loop.on_judged = [&](const JudgeReport& report) { output_.on_judged(report); };
    events.loop.save = [&](const LoopState& state) { return save(state); };
    events.loop.on_save_failed = [&](const Error& error) {
      output_.warn("no checkpoint was written: " + error.message());
    };
    events.on_work = [&](const std::vector<GroupWork>& groups, double seconds) {
      work = groups;
      output_.on_groups(groups, seconds);
    };
    events.on_live = [&](const std::vector<std::int64_t>& live, double seconds) {
      output_.on_live_groups(live, groups_of(settings_), seconds);
    };
    const GroupWatchOptions watching{.loop = {.judge_every = settings_.count("judge_every"),
                                              .judges_test = settings_.flag("judge_test"),
                                              .patience = settings_.count("patience"),
                                              .seconds_max = 60 * settings_.number("max_minutes"),
                                              .save_every = settings_.number("save_every")},
                                     .epochs = task_->epochs()};
    GODWIT_TRY_ASSIGN(const LoopResult result,
                      watch_groups(*session_, *task_->step_model(), task_->tables(), board,
                                   watching, begin, time_, interrupts_.stop(), events));
    output_.end(result, {groups_section(work)});
    GODWIT_TRY(session_->gather(kEndOrder));
    if (result.cause == StopCause::kInterrupted) return kExitInterrupted;
    return result.is_saved ? kExitOk : kExitFailed;  // a model that is lost is no success
  }

  // Table nodes but the first: what node 0 says, until it says no more.
  Result<int> obey() {
    for (;;) {
      GODWIT_TRY_ASSIGN(const std::vector<std::string> told, session_->gather(""));
      const std::string& order = told[0];
      if (order == kEndOrder) return kExitOk;
      // "STEP PATH" of a checkpoint.
      std::int64_t step = 0;
      const auto [end, error] = std::from_chars(order.data(), order.data() + order.size(), step);
      if (error != std::errc()) return corruption("node 0 said '{}'", order);
      const std::string directory(end + 1, order.data() + order.size());
      (void)session_->save(directory, step, {}, {.keep = settings_.count("keep")}).ok();
    }
  }

  Result<> save(const LoopState& state) {
    const std::string directory = SavedModel::checkpoints_of(output_.path());
    const std::int64_t step = checkpoint_step(state.next, *task_);
    GODWIT_TRY(session_->gather(fmt::format("{} {}", step, directory)));
    return session_->save(directory, step,
                          loop_notes(state, *task_, kind_.name, data_name_, settings_),
                          {.keep = settings_.count("keep")});
  }

  Result<LoopState> load() {
    GODWIT_TRY_ASSIGN(const CheckpointReader reader,
                      load_checkpoint(*session_, *task_, SavedModel::checkpoints_of(options_.run)));
    return loop_state_of(reader, *task_, data_name_);
  }

  const TrainOptions& options_;
  const TaskKind& kind_;
  Settings settings_;
  const JobPlace& place_;
  const Environment& environment_;
  RealDisk disk_;
  const RealTime time_;
  const Interrupts interrupts_;
  TrainOutput output_;
  std::unique_ptr<MpiRuntime> mpi_;
  std::unique_ptr<Group> group_;
  std::unique_ptr<Task> task_;
  std::optional<Session> session_;
  std::string data_name_;
  bool all_know_ = false;   // of the error: all nodes have the same
  bool is_closed_ = false;  // the session, or it is about to be
  bool is_said_ = false;
};

}  // namespace

int run_group_training(const TrainOptions& options, const TaskKind& kind, Settings settings,
                       const JobPlace& place, const Environment& environment, std::ostream& out,
                       std::ostream& err) {
  GroupTrainRun run(options, kind, std::move(settings), place, environment, out, err);
  auto code = run.run();
  if (code.ok()) return *code;
  if (!run.is_said()) err << "godwit train: " << code.error().message() << std::endl;
  return exit_code_of(code.error());
}

}  // namespace godwit
