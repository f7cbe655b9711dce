// bench/staleness_bench.cc: what each worker's batches cost in error, and when, is put together
// from all processes afterwards.
#include "bench/staleness_bench.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/forked_nodes.h"
#include "bench/staleness_learner.h"
#include "bench/worker_threads.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAhead = 4;        // ticks that rows are asked for ahead
constexpr std::size_t kSmoothTicks = 16;  // over which losses are averaged, of all workers

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A batch that was learned from: its mean loss, before.
struct Learned {
  float at = 0;  // seconds
  float loss = 0;
};

struct StalenessReport : ForkedReport {
  double seconds = 0;
  double wait_seconds = 0;     // of all workers
  double compute_seconds = 0;  // of all workers
  double staleness = 0;        // of `auto`, at the end
  std::size_t batches = 0;
  std::array<Learned, kStalenessBatchesMax> learned{};
};

// A worker, from its first tick to its last.
class Run {
 public:
  Run(const StalenessCase& that, Worker worker, std::unique_ptr<StalenessLearner> learner,
      std::int64_t number)
      : that_(that), worker_(std::move(worker)), learner_(std::move(learner)), number_(number) {}

  Result<> run(Clock::time_point begin) {
    for (std::int64_t tick = 0; tick < kAhead; ++tick) {
      GODWIT_TRY(learner_->intend(worker_, tick));
    }
    for (std::int64_t tick = 0; tick < that_.ticks; ++tick) {
      GODWIT_TRY(learner_->intend(worker_, tick + kAhead));
      GODWIT_TRY_ASSIGN(const double loss, compute(tick));
      learned_.push_back({static_cast<float>(seconds_since(begin)), static_cast<float>(loss)});
      GODWIT_TRY(worker_.report_objective(loss));
      const auto end = Clock::now();
      GODWIT_TRY(worker_.advance());
      wait_seconds_ += seconds_since(end);
      learner_->end_tick();
    }
    learner_.reset();
    return {};
  }

  void add_to(StalenessReport& report) const {
    report.wait_seconds += wait_seconds_;
    report.compute_seconds += compute_seconds_;
    for (const Learned& batch : learned_) {
      if (report.batches < kStalenessBatchesMax) report.learned[report.batches++] = batch;
    }
  }

 private:
  // Learns a batch, and sleeps for the computation of a larger model. Returns the batch's loss.
  Result<double> compute(std::int64_t tick) {
    const auto begin = Clock::now();
    double reading = 0;
    GODWIT_TRY_ASSIGN(const double loss, learner_->learn(worker_, tick, reading));
    const double steps = steps_of(that_.straggler, that_.nodes * that_.workers, number_, tick);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(that_.step_ms * steps));
    compute_seconds_ += seconds_since(begin) - reading;
    wait_seconds_ += reading;
    return loss;
  }

  const StalenessCase& that_;
  Worker worker_;
  std::unique_ptr<StalenessLearner> learner_;
  const std::int64_t number_;  // in the job
  std::vector<Learned> learned_;
  double wait_seconds_ = 0;
  double compute_seconds_ = 0;
};

Result<> run_node(const StalenessCase& that, StalenessTask& task, SessionOptions place,
                  StalenessReport& report) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // inherited by the workers' threads
  place.workers = that.workers;
  GODWIT_TRY_ASSIGN(Session session, Session::open(place));
  GODWIT_TRY(task.open(session));
  std::vector<Run> runs;
  for (std::int64_t i = 0; i < that.workers; ++i) {
    const std::int64_t number = session.node().value() * that.workers + i;
    GODWIT_TRY_ASSIGN(Worker worker, session.worker());
    runs.emplace_back(that, std::move(worker), task.make_learner(number), number);
  }
  GODWIT_TRY(session.barrier());
  const auto begin = Clock::now();
  GODWIT_TRY(run_in_threads(runs, [&](Run& run) { return run.run(begin); }));
  report.seconds = seconds_since(begin);
  for (const Run& run : runs) run.add_to(report);
  if (that.consistency.kind == ConsistencyKind::kAuto) {
    report.staleness = session.metrics().at("clock.staleness");
  }
  runs.clear();
  return session.close();
}

struct StalenessFigures {
  double seconds = std::numeric_limits<double>::infinity();  // until it was good enough
  double tick_seconds = 0;
  double wait_share = 0;     // of the time of all workers
  double compute_share = 0;  // the rest: asks for rows, or has ended before others
  double staleness = 0;
  double loss = 0;  // at the end
};

// When the mean of the last batches of all workers was good enough first.
void find_objective(const StalenessCase& that, const std::vector<StalenessReport>& reports,
                    StalenessFigures& figures) {
  std::vector<Learned> all;
  for (const StalenessReport& report : reports) {
    all.insert(all.end(), report.learned.begin(),
               report.learned.begin() + static_cast<std::ptrdiff_t>(report.batches));
  }
  std::sort(all.begin(), all.end(), [](const Learned& a, const Learned& b) { return a.at < b.at; });
  const std::size_t together =
      std::min(all.size(), kSmoothTicks * static_cast<std::size_t>(that.nodes * that.workers));
  const double good_enough = loss_of(that.model, that.objective);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += double{all[i].loss};
    if (i >= together) sum -= double{all[i - together].loss};
    if (i + 1 < together) continue;
    figures.loss = sum / static_cast<double>(together);
    if (figures.loss <= good_enough && std::isinf(figures.seconds)) {
      figures.seconds = double{all[i].at};
    }
  }
}

Result<StalenessFigures> run_job(const StalenessCase& that, std::uint64_t run) {
  const std::string job = fmt::format("staleness-{}-{}", ::getpid(), run);
  GODWIT_TRY_ASSIGN(const auto task, that.model == StalenessModel::kMf ? make_staleness_mf(that)
                                                                       : make_staleness_lda(that));
  GODWIT_TRY_ASSIGN(const auto reports,
                    run_forked<StalenessReport>(that.nodes, job, [&](const SessionOptions& place) {
                      return report_of<StalenessReport>([&](StalenessReport& report) {
                        return run_node(that, *task, place, report);
                      });
                    }));
  GODWIT_TRY(check_reports(reports));
  StalenessFigures figures;
  double workers_seconds = 0;
  for (const StalenessReport& report : reports) {
    figures.tick_seconds =
        std::max(figures.tick_seconds, report.seconds / static_cast<double>(that.ticks));
    figures.wait_share += report.wait_seconds;
    figures.compute_share += report.compute_seconds;
    figures.staleness = std::max(figures.staleness, report.staleness);
    workers_seconds += report.seconds * static_cast<double>(that.workers);
  }
  figures.wait_share /= workers_seconds;
  figures.compute_share /= workers_seconds;
  find_objective(that, reports, figures);
  return figures;
}

BenchResult result_of(const StalenessCase& that, const StalenessFigures& figures, double limit) {
  const std::string quality = quality_name(that.model);
  return {
      .bench = "staleness",
      .case_name = to_string(that),
      .value = figures.seconds,
      .unit = "s to objective",
      .limit = limit,
      .ratio = limit / figures.seconds,
      .note = fmt::format("objective: {} {}; limit: the best of these", quality, that.objective),
      .figures = {{"ms_per_tick", figures.tick_seconds * 1e3},
                  {"wait_share", figures.wait_share},
                  {"compute_share", figures.compute_share},
                  {"staleness", figures.staleness},
                  {quality + "_at_end", quality_of(that.model, figures.loss)}}};
}

StalenessBenchOptions options_with(std::initializer_list<Straggler> stragglers,
                                   std::initializer_list<const char*> modes) {
  StalenessBenchOptions options;
  for (const StalenessModel model : {StalenessModel::kMf, StalenessModel::kLda}) {
    for (const Straggler straggler : stragglers) {
      for (const char* text : modes) {
        StalenessCase that = StalenessCase::usual(model);
        that.straggler = straggler;
        that.consistency = Consistency::parse(text).value();
        options.cases.push_back(that);
      }
    }
  }
  return options;
}

}  // namespace

StalenessBenchOptions StalenessBenchOptions::full() {
  return options_with({Straggler::kTransient, Straggler::kPermanent},
                      {"bsp", "ssp:1", "ssp:2", "ssp:4", "ssp:8", "async", "auto"});
}

StalenessBenchOptions StalenessBenchOptions::quick() {
  StalenessBenchOptions options =
      options_with({Straggler::kTransient}, {"bsp", "ssp:4", "async", "auto"});
  options.repetitions = 1;
  return options;
}

Result<> run_staleness_bench(const StalenessBenchOptions& options,
                             const std::function<void(const BenchResult&)>& on_result) {
  if (options.repetitions < 1) return invalid_argument("nothing to run: no repetition");
  for (const StalenessCase& that : options.cases) GODWIT_TRY(that.validate());
  std::vector<std::vector<StalenessFigures>> runs(options.cases.size());
  std::uint64_t run = 0;
  for (std::size_t round = 0; round < options.repetitions; ++round) {
    for (std::size_t i = 0; i < options.cases.size(); ++i) {
      GODWIT_TRY_ASSIGN(const StalenessFigures figures, run_job(options.cases[i], ++run));
      runs[i].push_back(figures);
    }
  }
  std::map<std::string, double> best;  // of each setting, with a bound that was given
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    std::sort(
        runs[i].begin(), runs[i].end(),
        [](const StalenessFigures& a, const StalenessFigures& b) { return a.seconds < b.seconds; });
    if (options.cases[i].consistency.kind == ConsistencyKind::kAuto) continue;
    const auto [place, is_new] =
        best.emplace(setting_of(options.cases[i]), std::numeric_limits<double>::infinity());
    place->second = std::min(place->second, runs[i][runs[i].size() / 2].seconds);
  }
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    const StalenessCase& that = options.cases[i];
    const StalenessFigures& median = runs[i][runs[i].size() / 2];
    const auto found = best.find(setting_of(that));
    on_result(result_of(that, median, found == best.end() ? median.seconds : found->second));
  }
  return {};
}

}  // namespace godwit
