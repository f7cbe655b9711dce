// train/group_watch.cc: asks the board a few times a second; the rest follows from what it says.
#include "train/group_watch.h"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "train/pull_rows.h"

namespace godwit {
namespace {

constexpr int kLookEveryMs = 20;    // nobody tells node 0: it looks
constexpr double kReportEvery = 1;  // seconds

class Watch {
 public:
  Watch(Session& session, const StepModel& model, std::span<const Table> tables,
        ProgressBoard& board, const GroupWatchOptions& options, const LoopState& begin,
        const TimeSource& time, const std::atomic<bool>& stop, const GroupWatchEvents& events)
      : session_(session),
        model_(model),
        tables_(tables),
        board_(board),
        options_(options),
        time_(time),
        stop_(stop),
        events_(events),
        began_(time.now()),
        before_(begin.seconds),
        done_(static_cast<double>(begin.next.epoch) * samples_of_epoch()),
        reported_samples_(done_),
        judged_(begin.next.epoch),
        saved_at_(begin.seconds),
        worse_(begin.worse) {
    result_.next = {.epoch = begin.next.epoch};
    if (begin.best) best_[Split::kValid] = score_of(*begin.best);
  }

  Result<LoopResult> run() {
    GODWIT_TRY_ASSIGN(worker_, session_.worker());
    const double all = static_cast<double>(options_.epochs) * samples_of_epoch();
    std::optional<StopCause> cause;
    while (!cause) {
      look_away();
      GODWIT_TRY(look());
      GODWIT_TRY(check_live());
      GODWIT_TRY_ASSIGN(const bool goes_on, judge_new_epochs());
      if (done_ >= all) cause = StopCause::kFinished;
      if (!goes_on) cause = StopCause::kNoBetter;
      const double limit = options_.loop.seconds_max;
      if (limit > 0 && seconds() - before_ >= limit) cause = StopCause::kOutOfTime;
      if (stop_.load(std::memory_order_relaxed)) cause = StopCause::kInterrupted;
      const double save_every = options_.loop.save_every;
      if (!cause && save_every > 0 && seconds() - saved_at_ >= save_every) save();
    }
    result_.cause = *cause;
    GODWIT_TRY(end_groups());
    save();
    if (result_.cause != StopCause::kInterrupted) GODWIT_TRY(judge_end());
    GODWIT_TRY(board_.order_leave(*worker_));
    return std::move(result_);
  }

 private:
  double samples_of_epoch() const { return static_cast<double>(model_.samples()); }
  double seconds() const {
    return before_ + std::chrono::duration<double>(time_.now() - began_).count();
  }
  double score_of(double figure) const { return model_.is_larger_better() ? figure : -figure; }
  static void look_away() { ::poll(nullptr, 0, kLookEveryMs); }

  // Takes what the board says, and tells it: now and then, and at the end.
  Result<> look(bool is_last = false) {
    GODWIT_TRY_ASSIGN(const std::vector<GroupWork> groups, board_.read(*worker_));
    double samples = 0;
    double loss = 0;
    double bytes = 0;
    for (const GroupWork& group : groups) {
      samples += group.samples;
      loss += group.loss;
      bytes += group.sent_bytes;
    }
    if (!std::isfinite(loss)) {
      return aborted("the loss is not a number: the learning rate is too large for these data");
    }
    done_ = std::max(done_, samples);
    result_.next = {
        .epoch = std::min(options_.epochs, static_cast<std::int64_t>(done_ / samples_of_epoch()))};
    const double now = seconds();
    if (samples <= reported_samples_) return {};
    if (!is_last && now - reported_at_ < kReportEvery) return {};
    const double fresh = samples - reported_samples_;
    const double took = reported_at_ > 0 ? now - reported_at_ : now - before_;
    result_.seconds = now - before_;
    result_.examples += fresh;
    events_.loop.on_segment({.next = {.epoch = result_.next.epoch,
                                      .segment = result_.next.epoch < options_.epochs ? 1 : 0},
                             .seconds = now,
                             .segment_seconds = took,
                             .loss = (loss - reported_loss_) / fresh,
                             .examples = fresh,
                             .share_done = std::min(1.0, done_ / samples_of_epoch() /
                                                             static_cast<double>(options_.epochs)),
                             .grown = {{"sent.bytes", bytes - reported_bytes_}},
                             .levels = {}});
    events_.on_work(groups, now);
    reported_at_ = now;
    reported_bytes_ = bytes;
    reported_samples_ = samples;
    reported_loss_ = loss;
    return {};
  }

  // Somebody must be there, or come back in time.
  Result<> check_live() {
    const GroupsView view = session_.groups();
    if (view.live != live_) events_.on_live(view.live, seconds());
    live_ = view.live;
    if (!live_.empty()) {
      alone_since_.reset();
      return {};
    }
    if (!alone_since_) alone_since_ = time_.now();
    if (time_.now() - *alone_since_ < options_.patience) return {};
    return unavailable("no group has been there for {} s",
                       std::chrono::duration_cast<std::chrono::seconds>(options_.patience).count());
  }

  // Whether to go on.
  Result<bool> judge_new_epochs() {
    const std::int64_t epoch = result_.next.epoch;
    if (epoch <= judged_ || epoch >= options_.epochs) return true;
    const std::int64_t every = options_.loop.judge_every;
    const bool is_due = every > 0 && epoch / every > judged_ / every;
    judged_ = epoch;
    if (!is_due || !model_.has(Split::kValid)) return true;
    GODWIT_TRY(pull_centre());
    judge(Split::kValid, result_.valid);
    if (options_.loop.judges_test && model_.has(Split::kTest)) judge(Split::kTest, result_.test);
    worse_ = result_.valid->is_best ? 0 : worse_ + 1;
    return options_.loop.patience <= 0 || worse_ < options_.loop.patience;
  }

  Result<> judge_end() {
    GODWIT_TRY(pull_centre());
    if (model_.has(Split::kValid)) judge(Split::kValid, result_.valid);
    if (model_.has(Split::kTest)) judge(Split::kTest, result_.test);
    return {};
  }

  Result<> pull_centre() {
    centre_.clear();
    pulled_at_ = seconds();
    std::vector<float> rows;
    for (const Table& table : tables_) {
      GODWIT_TRY(pull_rows(*worker_, table, table.spec().rows, rows));
      centre_.insert(centre_.end(), rows.begin(), rows.end());
    }
    return {};
  }

  // The model as it was when it was pulled: the groups go on.
  void judge(Split split, std::optional<JudgeReport>& into) {
    Sums sums;
    model_.judge(centre_, split, 0, model_.size(split), sums);
    JudgeReport report{.epoch = result_.next.epoch,
                       .split = split,
                       .seconds = pulled_at_,
                       .judge_seconds = seconds() - pulled_at_,
                       .figures = model_.figures(split, sums)};
    const double score = score_of(report.figures.at(0).second);
    std::optional<double>& best = best_[split];
    report.is_best = !best || score > *best;
    if (report.is_best) best = score;
    events_.loop.on_judged(report);
    into = std::move(report);
  }

  void save() {
    saved_at_ = seconds();
    LoopState state{.next = result_.next, .seconds = saved_at_, .worse = worse_};
    if (const auto& score = best_[Split::kValid]) state.best = score_of(*score);
    const auto saved = events_.loop.save(state);
    result_.is_saved = saved.ok();
    if (!saved.ok()) events_.loop.on_save_failed(saved.error());
  }

  // What they have learned since their last exchange comes with the last one.
  Result<> end_groups() {
    GODWIT_TRY(board_.order_end(*worker_));
    const Time told = time_.now();
    for (;;) {
      GODWIT_TRY_ASSIGN(const std::vector<GroupWork> groups, board_.read(*worker_));
      const std::vector<std::int64_t> live = session_.groups().live;
      const bool have_ended = std::all_of(live.begin(), live.end(), [&](std::int64_t group) {
        return groups[static_cast<std::size_t>(group)].has_ended > 0;
      });
      if (have_ended || time_.now() - told > options_.patience) return look(true);
      look_away();
    }
  }

  Session& session_;
  const StepModel& model_;
  const std::span<const Table> tables_;
  ProgressBoard& board_;
  const GroupWatchOptions& options_;
  const TimeSource& time_;
  const std::atomic<bool>& stop_;
  const GroupWatchEvents& events_;
  const Time began_;
  const double before_;
  std::optional<Worker> worker_;
  LoopResult result_;
  double done_;  // samples
  double reported_at_ = 0;
  double reported_samples_;
  double reported_loss_ = 0;
  double reported_bytes_ = 0;
  std::int64_t judged_;  // epochs
  std::vector<std::int64_t> live_;
  std::optional<Time> alone_since_;
  std::vector<float> centre_;
  double pulled_at_ = 0;
  double saved_at_;
  std::int64_t worse_;
  std::map<Split, std::optional<double>> best_;
};

}  // namespace

Result<LoopResult> watch_groups(Session& session, const StepModel& model,
                                std::span<const Table> tables, ProgressBoard& board,
                                const GroupWatchOptions& options, const LoopState& begin,
                                const TimeSource& time, const std::atomic<bool>& stop,
                                const GroupWatchEvents& events) {
  return Watch(session, model, tables, board, options, begin, time, stop, events).run();
}

}  // namespace godwit
