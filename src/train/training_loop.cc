// train/training_loop.cc: segments by threads, meetings by numbers that all nodes know.
#include "train/training_loop.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/mutex.h"
#include "base/try.h"
#include "train/gather_numbers.h"

namespace godwit {
namespace {

// run(worker, share, sums) of each worker on a thread of its own; the sums of all.
template <class Run>
Result<Sums> run_workers(const Session& session, std::vector<Worker>& workers, const Run& run) {
  struct Part {
    std::optional<Error> error;
    Sums sums;
  };
  std::vector<Part> parts(workers.size());
  {
    std::vector<std::jthread> threads;
    const auto per_node = static_cast<std::int64_t>(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const WorkerShare share{
          .index = session.node().value() * per_node + static_cast<std::int64_t>(i),
          .count = session.nodes() * per_node,
          .in_node = static_cast<std::int64_t>(i)};
      threads.emplace_back([&run, &worker = workers[i], &part = parts[i], share] {
        if (auto done = run(worker, share, part.sums); !done.ok()) {
          part.error = std::move(done).error();
          const Worker ended = std::move(worker);  // nobody is to wait for it
        }
      });
    }
  }
  Sums sums;
  for (Part& part : parts) {
    if (part.error) return std::move(*part.error);
    for (const auto& [name, sum] : part.sums.named) sums[name] += sum;
    sums.bins.resize(std::max(sums.bins.size(), part.sums.bins.size()));
    for (std::size_t i = 0; i < part.sums.bins.size(); ++i) sums.bins[i] += part.sums.bins[i];
  }
  return sums;
}

class Loop {
  static constexpr double kTellGoingEvery = 2;  // seconds

 public:
  Loop(Session& session, Task& task, const LoopOptions& options, const LoopState& begin,
       const TimeSource& time, const std::atomic<bool>& stop, const LoopEvents& events)
      : session_(session),
        task_(task),
        options_(options),
        time_(time),
        stop_(stop),
        events_(events),
        began_(time.now()),
        seconds_before_(begin.seconds),
        saved_(begin.next),
        saved_at_(begin.seconds),
        worse_(begin.worse) {
    result_.next = begin.next;
    if (begin.best) scores_[Split::kValid] = score_of(*begin.best);
    task.end_early_if([this] {
      const double now = seconds();
      tell_going(now);
      return stop_.load(std::memory_order_relaxed) || is_late(now);
    });
  }

  Result<LoopResult> run() {
    GODWIT_TRY_ASSIGN(workers_, make_workers(session_, options_.workers));
    bool must_begin = true;
    while (result_.next.epoch < task_.epochs()) {
      if (std::exchange(must_begin, false)) GODWIT_TRY(task_.begin_epoch(result_.next.epoch));
      GODWIT_TRY_ASSIGN(const std::optional<StopCause> cause, run_segment());
      const bool has_ended = result_.next.segment == 0;
      must_begin = has_ended;
      if (cause) result_.cause = *cause;
      if (cause && *cause == StopCause::kInterrupted) return finish(false);
      if (cause) return finish(true);
      if (!has_ended) continue;
      GODWIT_TRY_ASSIGN(const bool goes_on, judge_epoch());
      if (!goes_on) {
        result_.cause = StopCause::kNoBetter;
        break;
      }
    }
    return finish(true);
  }

 private:
  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(time_.now() - began_).count();
  }
  bool is_late(double seconds) const {
    return options_.seconds_max > 0 && seconds - seconds_before_ >= options_.seconds_max;
  }
  void tell_going(double now) {
    double told = told_going_.load();
    if (session_.node() != NodeId{0} || now - told < kTellGoingEvery) return;
    if (!told_going_.compare_exchange_strong(told, now)) return;  // another worker does
    const MutexLock lock(going_mutex_);
    events_.on_going();
  }
  // The larger the better.
  double score_of(double figure) const { return task_.is_larger_better() ? figure : -figure; }

  // Trains one segment and moves on. A cause to stop, if there is one.
  Result<std::optional<StopCause>> run_segment() {
    const double before = seconds();
    const std::int64_t epoch = result_.next.epoch;
    const std::int64_t segment = result_.next.segment;
    const auto metrics_before = session_.metrics();
    GODWIT_TRY_ASSIGN(
        const Sums sums,
        run_workers(session_, workers_, [&](Worker& worker, const WorkerShare& share, Sums& part) {
          return task_.train(worker, share, segment, part);
        }));
    std::vector<double> mine{stop_.load(std::memory_order_relaxed) ? 1.0 : 0.0, seconds(),
                             value_of(sums.named, "loss"), value_of(sums.named, "examples"),
                             task_.has_ended_early() ? 1.0 : 0.0};
    const auto metrics = session_.metrics();
    for (const std::string& name : options_.counters) {
      mine.push_back(value_of(metrics, name) - value_of(metrics_before, name));
    }
    for (const std::string& name : options_.levels) mine.push_back(value_of(metrics, name));
    GODWIT_TRY_ASSIGN(const auto told, gather_numbers(session_, mine));
    std::vector<double> all(mine.size());
    for (const auto& node : told) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += node[i];
    }
    has_ended_early_ = all[4] > 0;
    if (!has_ended_early_) move_on();
    result_.seconds += told[0][1] - before;
    result_.examples += all[3];
    report_segment(all, told[0][1], told[0][1] - before);
    if (!std::isfinite(all[2])) {
      return aborted("the loss is {} in epoch {}: the learning rate is too large for these data",
                     std::isnan(all[2]) ? "not a number"
                     : all[2] > 0       ? "inf"
                                        : "-inf",
                     epoch + 1);
    }
    if (all[0] > 0) return std::optional(StopCause::kInterrupted);
    if (is_late(told[0][1])) {
      return std::optional(StopCause::kOutOfTime);
    }
    if (options_.save_every > 0 && told[0][1] - saved_at_ >= options_.save_every) {
      saved_at_ = told[0][1];
      save();
    }
    return std::optional<StopCause>();
  }

  template <class Map>
  static double value_of(const Map& map, const std::string& name) {
    const auto found = map.find(name);
    return found == map.end() ? 0 : found->second;
  }

  void move_on() {
    if (++result_.next.segment < task_.segments()) return;
    result_.next = {.epoch = result_.next.epoch + 1, .segment = 0};
  }

  void report_segment(const std::vector<double>& all, double now, double took) {
    if (session_.node() != NodeId{0}) return;
    const auto segments = static_cast<double>(task_.segments());
    SegmentReport report{.next = result_.next,
                         .seconds = now,
                         .segment_seconds = took,
                         .loss = all[3] > 0 ? all[2] / all[3] : 0,
                         .examples = all[3],
                         .share_done = (static_cast<double>(result_.next.epoch) +
                                        static_cast<double>(result_.next.segment) / segments) /
                                       static_cast<double>(task_.epochs())};
    auto next = all.begin() + 5;
    for (const std::string& name : options_.counters) report.grown[name] = *next++;
    for (const std::string& name : options_.levels) report.levels[name] = *next++;
    events_.on_segment(report);
  }

  void save() {
    saved_ = result_.next;
    LoopState state{.next = result_.next, .seconds = seconds(), .worse = worse_};
    if (const auto score = scores_[Split::kValid]) state.best = score_of(*score);
    auto saved = events_.save(state);
    result_.is_saved = saved.ok();
    if (!saved.ok()) events_.on_save_failed(std::move(saved).error());
  }

  // Whether to go on.
  Result<bool> judge_epoch() {
    if (options_.judge_every <= 0 || !task_.has(Split::kValid)) return true;
    if (result_.next.epoch % options_.judge_every != 0) return true;
    if (result_.next.epoch == task_.epochs()) return true;  // judged at the end anyway
    GODWIT_TRY(judge_split(Split::kValid, result_.valid));
    if (options_.judges_test && task_.has(Split::kTest)) {
      GODWIT_TRY(judge_split(Split::kTest, result_.test));
    }
    worse_ = result_.valid->is_best ? 0 : worse_ + 1;
    return options_.patience <= 0 || worse_ < options_.patience;
  }

  Result<> judge_split(Split split, std::optional<JudgeReport>& into) {
    const double before = seconds();
    JudgeReport report{.epoch = result_.next.epoch, .split = split};
    GODWIT_TRY_ASSIGN(report.figures, judge(session_, task_, workers_, split));
    report.seconds = seconds();
    report.judge_seconds = report.seconds - before;
    const double score = score_of(report.figures.at(0).second);
    auto& best = scores_[split];
    report.is_best = !best || score > *best;
    if (report.is_best) best = score;
    into = report;
    if (session_.node() == NodeId{0}) events_.on_judged(report);
    return {};
  }

  Result<LoopResult> finish(bool judges) {
    if (!(saved_ == result_.next) || judges || has_ended_early_) save();
    if (judges && task_.has(Split::kValid) &&
        (!result_.valid || result_.valid->epoch != result_.next.epoch ||
         result_.next.segment != 0 || has_ended_early_)) {
      GODWIT_TRY(judge_split(Split::kValid, result_.valid));
    }
    if (judges && task_.has(Split::kTest)) GODWIT_TRY(judge_split(Split::kTest, result_.test));
    return std::move(result_);
  }

  Session& session_;
  Task& task_;
  const LoopOptions& options_;
  const TimeSource& time_;
  const std::atomic<bool>& stop_;
  const LoopEvents& events_;
  const Time began_;
  const double seconds_before_;
  std::vector<Worker> workers_;
  LoopResult result_;
  bool has_ended_early_ = false;  // the last segment
  Cursor saved_;
  double saved_at_;
  std::atomic<double> told_going_ = 0;
  Mutex going_mutex_;  // one worker at a time
  std::int64_t worse_;
  std::map<Split, std::optional<double>> scores_;  // the best
};

}  // namespace

Result<std::vector<Worker>> make_workers(Session& session, std::int64_t count) {
  std::vector<Worker> workers;
  for (std::int64_t i = 0; i < count; ++i) {
    GODWIT_TRY_ASSIGN(Worker worker, session.worker());
    workers.push_back(std::move(worker));
  }
  return workers;
}

Result<Figures> judge(Session& session, Task& task, std::vector<Worker>& workers, Split split) {
  GODWIT_TRY_ASSIGN(
      const Sums sums,
      run_workers(session, workers, [&](Worker& worker, const WorkerShare& share, Sums& part) {
        return task.judge(worker, share, split, part);
      }));
  std::vector<double> mine = sums.bins;
  for (const auto& [name, sum] : sums.named) mine.push_back(sum);
  GODWIT_TRY_ASSIGN(const auto told, gather_numbers(session, mine));
  Sums all;
  all.bins.resize(sums.bins.size());
  for (const auto& node : told) {
    auto next = node.begin();
    for (double& bin : all.bins) bin += *next++;
    for (const auto& [name, sum] : sums.named) all[name] += *next++;
  }
  return task.figures(split, all);
}

Result<LoopResult> train(Session& session, Task& task, const LoopOptions& options,
                         const LoopState& begin, const TimeSource& time,
                         const std::atomic<bool>& stop, const LoopEvents& events) {
  return Loop(session, task, options, begin, time, stop, events).run();
}

}  // namespace godwit
