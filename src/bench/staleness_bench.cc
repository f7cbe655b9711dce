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
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "bench/forked_nodes.h"
#include "bench/worker_threads.h"
#include "data/low_rank.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kRank = 8;
constexpr std::int64_t kAhead = 4;           // ticks that rows are asked for ahead
constexpr std::size_t kBatchesMax = 20'000;  // of a node
constexpr std::size_t kSmoothTicks = 16;     // over which errors are averaged, of all workers

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A batch that was learned from: the mean of its squared errors, before.
struct Learned {
  float at = 0;  // seconds
  float square = 0;
};

struct StalenessReport : ForkedReport {
  double seconds = 0;
  double wait_seconds = 0;
  double staleness = 0;  // of `auto`, at the end
  std::size_t batches = 0;
  std::array<Learned, kBatchesMax> learned{};
};

// Of a lower rank than is learned: otherwise some runs get stuck for long, whatever the clocks do.
LowRankSpec data_spec() {
  return {.rows = 1000, .columns = 500, .rank = 4, .ratings = 200'000, .held_out = 1};
}

struct Factors {
  Table rows;
  Table columns;
};

class Learner {
 public:
  Learner(const StalenessCase& that, const Factors& factors, std::vector<Rating> ratings,
          Worker worker, std::int64_t number)
      : that_(that),
        factors_(factors),
        ratings_(std::move(ratings)),
        worker_(std::move(worker)),
        number_(number) {}

  Result<> run(Clock::time_point begin) {
    for (std::int64_t tick = 0; tick < kAhead; ++tick) GODWIT_TRY(intend(tick));
    for (std::int64_t tick = 0; tick < that_.ticks; ++tick) {
      GODWIT_TRY(intend(tick + kAhead));
      GODWIT_TRY_ASSIGN(const double square, learn(tick));
      const double steps = steps_of(that_.straggler, that_.nodes * that_.workers, number_, tick);
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(that_.step_ms * steps));
      learned_.push_back({static_cast<float>(seconds_since(begin)), static_cast<float>(square)});
      GODWIT_TRY(worker_.report_objective(square));
      const auto end = Clock::now();
      GODWIT_TRY(worker_.advance());
      wait_seconds_ += seconds_since(end);
      leases_.pop_front();
    }
    leases_.clear();
    return {};
  }

  const std::vector<Learned>& learned() const { return learned_; }
  double wait_seconds() const { return wait_seconds_; }

 private:
  // Its ratings in an order of its own, again and again.
  Rating rating(std::int64_t tick, std::size_t i) const {
    return ratings_[(static_cast<std::size_t>(tick) * that_.batch + i) % ratings_.size()];
  }
  void gather(std::int64_t tick) {
    row_keys_.clear();
    column_keys_.clear();
    for (std::size_t i = 0; i < that_.batch; ++i) {
      row_keys_.push_back(rating(tick, i).row);
      column_keys_.push_back(rating(tick, i).column);
    }
  }
  Result<> intend(std::int64_t tick) {
    gather(tick);
    const Tick first{tick};
    const Tick last{tick + 1};
    GODWIT_TRY_ASSIGN(Lease rows, worker_.intend(factors_.rows, row_keys_, first, last));
    GODWIT_TRY_ASSIGN(Lease columns, worker_.intend(factors_.columns, column_keys_, first, last));
    leases_.emplace_back(std::move(rows), std::move(columns));
    return {};
  }
  // Pulls a batch, pushes its gradients.
  Result<double> learn(std::int64_t tick) {
    gather(tick);
    rows_.resize(that_.batch * kRank);
    columns_.resize(that_.batch * kRank);
    const auto begin = Clock::now();
    GODWIT_TRY(worker_.pull(factors_.rows, row_keys_, rows_));
    GODWIT_TRY(worker_.pull(factors_.columns, column_keys_, columns_));
    wait_seconds_ += seconds_since(begin);
    double squares = 0;
    for (std::size_t i = 0; i < that_.batch; ++i) {
      float* const row = rows_.data() + i * kRank;
      float* const column = columns_.data() + i * kRank;
      const float error =
          std::inner_product(row, row + kRank, column, 0.0F) - rating(tick, i).value;
      squares += double{error} * double{error};
      for (std::size_t k = 0; k < kRank; ++k) {
        const float was = row[k];
        row[k] = error * column[k];
        column[k] = error * was;
      }
    }
    GODWIT_TRY(worker_.push(factors_.rows, row_keys_, rows_));
    GODWIT_TRY(worker_.push(factors_.columns, column_keys_, columns_));
    return squares / static_cast<double>(that_.batch);
  }

  const StalenessCase& that_;
  const Factors& factors_;
  std::vector<Rating> ratings_;
  Worker worker_;
  const std::int64_t number_;  // in the job
  std::deque<std::pair<Lease, Lease>> leases_;
  std::vector<Key> row_keys_;
  std::vector<Key> column_keys_;
  std::vector<float> rows_;
  std::vector<float> columns_;
  std::vector<Learned> learned_;
  double wait_seconds_ = 0;
};

Result<Factors> make_factors(const StalenessCase& that, Session& session) {
  const LowRankSpec data = data_spec();
  TableSpec spec{.name = "rows",
                 .rows = data.rows,
                 .row_length = kRank,
                 .rule = Rule::adagrad(0.15F),
                 .init = Init::uniform(0.5F, 1),
                 .consistency = that.consistency};
  GODWIT_TRY_ASSIGN(Table rows, session.table(spec));
  spec.name = "columns";
  spec.rows = data.columns;
  spec.init.seed = 2;
  GODWIT_TRY_ASSIGN(Table columns, session.table(spec));
  return Factors{std::move(rows), std::move(columns)};
}

// Every n-th rating is a worker's, in an order of its own.
std::vector<Rating> share_of(const std::vector<Rating>& all, std::int64_t worker,
                             std::int64_t workers) {
  std::vector<Rating> share;
  for (auto i = static_cast<std::size_t>(worker); i < all.size();
       i += static_cast<std::size_t>(workers)) {
    share.push_back(all[i]);
  }
  Prng prng(mix64(5, static_cast<std::uint64_t>(worker)));
  for (std::size_t i = share.size(); i > 1; --i) std::swap(share[i - 1], share[prng.below(i)]);
  return share;
}

Result<> run_node(const StalenessCase& that, const LowRankData& data, SessionOptions place,
                  StalenessReport& report) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // inherited by the workers' threads
  place.workers = that.workers;
  GODWIT_TRY_ASSIGN(Session session, Session::open(place));
  GODWIT_TRY_ASSIGN(const Factors factors, make_factors(that, session));
  std::vector<Learner> learners;
  for (std::int64_t i = 0; i < that.workers; ++i) {
    const std::int64_t number = session.node().value() * that.workers + i;
    GODWIT_TRY_ASSIGN(Worker worker, session.worker());
    learners.emplace_back(that, factors, share_of(data.train, number, that.nodes * that.workers),
                          std::move(worker), number);
  }
  GODWIT_TRY(session.barrier());
  const auto begin = Clock::now();
  GODWIT_TRY(run_in_threads(learners, [&](Learner& learner) { return learner.run(begin); }));
  report.seconds = seconds_since(begin);
  for (const Learner& learner : learners) {
    report.wait_seconds += learner.wait_seconds();
    for (const Learned& batch : learner.learned()) {
      if (report.batches < kBatchesMax) report.learned[report.batches++] = batch;
    }
  }
  if (that.consistency.kind == ConsistencyKind::kAuto) {
    report.staleness = session.metrics().at("clock.staleness");
  }
  learners.clear();
  return session.close();
}

struct Figures {
  double seconds = std::numeric_limits<double>::infinity();  // until it was good enough
  double tick_seconds = 0;
  double wait_share = 0;
  double staleness = 0;
  double error = 0;  // at the end
};

// When the mean of the last batches of all workers was good enough first.
void find_objective(const StalenessCase& that, const std::vector<StalenessReport>& reports,
                    Figures& figures) {
  std::vector<Learned> all;
  for (const StalenessReport& report : reports) {
    all.insert(all.end(), report.learned.begin(),
               report.learned.begin() + static_cast<std::ptrdiff_t>(report.batches));
  }
  std::sort(all.begin(), all.end(), [](const Learned& a, const Learned& b) { return a.at < b.at; });
  const std::size_t together =
      std::min(all.size(), kSmoothTicks * static_cast<std::size_t>(that.nodes * that.workers));
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += double{all[i].square};
    if (i >= together) sum -= double{all[i - together].square};
    if (i + 1 < together) continue;
    figures.error = std::sqrt(sum / static_cast<double>(together));
    if (figures.error <= that.objective && std::isinf(figures.seconds)) {
      figures.seconds = double{all[i].at};
    }
  }
}

Result<Figures> run_job(const StalenessCase& that, const LowRankData& data, std::uint64_t run) {
  const std::string job = fmt::format("staleness-{}-{}", ::getpid(), run);
  GODWIT_TRY_ASSIGN(const auto reports,
                    run_forked<StalenessReport>(that.nodes, job, [&](const SessionOptions& place) {
                      return report_of<StalenessReport>([&](StalenessReport& report) {
                        return run_node(that, data, place, report);
                      });
                    }));
  GODWIT_TRY(check_reports(reports));
  Figures figures;
  double workers_seconds = 0;
  for (const StalenessReport& report : reports) {
    figures.tick_seconds =
        std::max(figures.tick_seconds, report.seconds / static_cast<double>(that.ticks));
    figures.wait_share += report.wait_seconds;
    figures.staleness = std::max(figures.staleness, report.staleness);
    workers_seconds += report.seconds * static_cast<double>(that.workers);
  }
  figures.wait_share /= workers_seconds;
  find_objective(that, reports, figures);
  return figures;
}

// All but how old reads may be.
std::string setting_of(const StalenessCase& that) {
  return fmt::format("mf/{}/nodes={}x{}/step={}ms", to_string(that.straggler), that.nodes,
                     that.workers, that.step_ms);
}

}  // namespace

Result<> StalenessCase::validate() const {
  if (nodes < 1 || workers < 1 || ticks < 1 || batch < 1) {
    return invalid_argument("there must be a node, a worker, a tick and a rating at least");
  }
  if (static_cast<std::size_t>(workers * ticks) > kBatchesMax) {
    return invalid_argument("{} workers x {} ticks: a node may have {} batches", workers, ticks,
                            kBatchesMax);
  }
  if (step_ms >= 0 && step_ms <= 1000) return {};
  return invalid_argument("step_ms is {}: it must be 0 to 1000", step_ms);
}

std::string to_string(const StalenessCase& that) {
  return setting_of(that) + "/" + to_string(that.consistency);
}

StalenessBenchOptions StalenessBenchOptions::full() {
  StalenessBenchOptions options;
  for (const Straggler straggler : {Straggler::kTransient, Straggler::kPermanent}) {
    for (const char* text : {"bsp", "ssp:1", "ssp:2", "ssp:4", "ssp:8", "async", "auto"}) {
      options.cases.push_back(
          {.straggler = straggler, .consistency = Consistency::parse(text).value()});
    }
  }
  return options;
}

StalenessBenchOptions StalenessBenchOptions::quick() {
  StalenessBenchOptions options = full();
  options.repetitions = 1;
  options.cases.resize(options.cases.size() / 2);
  return options;
}

Result<> run_staleness_bench(const StalenessBenchOptions& options,
                             const std::function<void(const BenchResult&)>& on_result) {
  if (options.repetitions < 1) return invalid_argument("nothing to run: no repetition");
  for (const StalenessCase& that : options.cases) GODWIT_TRY(that.validate());
  const LowRankData data = make_low_rank(data_spec());
  std::vector<std::vector<Figures>> runs(options.cases.size());
  std::uint64_t run = 0;
  for (std::size_t round = 0; round < options.repetitions; ++round) {
    for (std::size_t i = 0; i < options.cases.size(); ++i) {
      GODWIT_TRY_ASSIGN(const Figures figures, run_job(options.cases[i], data, ++run));
      runs[i].push_back(figures);
    }
  }
  std::map<std::string, double> best;  // of each setting, with a bound that was given
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    std::sort(runs[i].begin(), runs[i].end(),
              [](const Figures& a, const Figures& b) { return a.seconds < b.seconds; });
    if (options.cases[i].consistency.kind == ConsistencyKind::kAuto) continue;
    const auto [place, is_new] =
        best.emplace(setting_of(options.cases[i]), std::numeric_limits<double>::infinity());
    place->second = std::min(place->second, runs[i][runs[i].size() / 2].seconds);
  }
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    const StalenessCase& that = options.cases[i];
    const Figures& median = runs[i][runs[i].size() / 2];
    const double limit =
        best.contains(setting_of(that)) ? best.at(setting_of(that)) : median.seconds;
    on_result({.bench = "staleness",
               .case_name = to_string(that),
               .value = median.seconds,
               .unit = "s to objective",
               .limit = limit,
               .ratio = limit / median.seconds,
               .note = fmt::format("objective: RMSE {}; limit: the best of these", that.objective),
               .figures = {{"ms_per_tick", median.tick_seconds * 1e3},
                           {"wait_share", median.wait_share},
                           {"staleness", median.staleness},
                           {"rmse_at_end", median.error}}});
  }
  return {};
}

}  // namespace godwit
