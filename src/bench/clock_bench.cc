// bench/clock_bench.cc: every worker adds 1 to its element of the same rows in each tick, after it
// has read what the others have added.
#include "bench/clock_bench.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/forked_nodes.h"
#include "bench/worker_threads.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAhead = 8;  // ticks that rows are asked for ahead

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct ClockReport : ForkedReport {
  double seconds = 0;
  double wait_seconds = 0;  // of all workers: in open() and advance()
  double lag = 0;           // of all reads: how many ticks of others they missed, on the mean
};

double steps_of(const ClockCase& that, std::int64_t worker, std::int64_t tick) {
  return steps_of(that.straggler, that.nodes * that.workers, worker, tick);
}

class ClockWorker {
 public:
  ClockWorker(const ClockCase& that, const Table& table, Worker worker, std::int64_t number)
      : that_(that), table_(table), worker_(std::move(worker)), number_(number), keys_(that.rows) {
    std::iota(keys_.begin(), keys_.end(), Key{0});
  }

  Result<> run() {
    std::vector<Lease> leases(kAhead);
    for (std::int64_t tick = 0; tick < kAhead; ++tick) {
      GODWIT_TRY(intend(leases[static_cast<std::size_t>(tick)], tick));
    }
    for (std::int64_t tick = 0; tick < that_.ticks; ++tick) {
      Lease& lease = leases[static_cast<std::size_t>(tick % kAhead)];
      const auto begin = Clock::now();
      GODWIT_TRY(worker_.open(lease));
      wait_seconds_ += seconds_since(begin);
      GODWIT_TRY(touch(lease, tick));
      GODWIT_TRY(worker_.close(lease));
      GODWIT_TRY(intend(lease, tick + kAhead));
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(
          that_.step_ms * steps_of(that_, number_, tick)));
      const auto end = Clock::now();
      GODWIT_TRY(worker_.advance());
      wait_seconds_ += seconds_since(end);
    }
    return {};
  }

  double wait_seconds() const { return wait_seconds_; }
  double lag() const { return lag_ / static_cast<double>(that_.ticks); }

 private:
  Result<> intend(Lease& lease, std::int64_t tick) {
    GODWIT_TRY_ASSIGN(lease, worker_.intend(table_, keys_, Tick{tick}, Tick{tick + 1}));
    return {};
  }

  Result<> touch(Lease& lease, std::int64_t tick) {
    const auto workers = static_cast<std::size_t>(that_.nodes * that_.workers);
    const bool is_bsp = that_.consistency.kind == ConsistencyKind::kBsp;
    const bool is_bounded = that_.consistency.kind == ConsistencyKind::kSsp || is_bsp;
    double missed = 0;
    for (std::size_t i = 0; i < lease.size(); ++i) {
      const LeasedRow row = lease[i];
      for (std::size_t other = 0; other < workers; ++other) {
        const auto behind = static_cast<double>(tick) - double{row.value()[other]};
        missed += std::max(0.0, behind);
        const bool is_too_old =
            is_bounded && behind > static_cast<double>(that_.consistency.staleness);
        if (!is_too_old && !(is_bsp && behind < 0)) continue;
        return corruption("tick {} reads row {} of {} ticks before", tick, i, behind);
      }
      row.value()[static_cast<std::size_t>(number_)] += 1;
    }
    lag_ += missed / static_cast<double>(lease.size() * workers);
    return {};
  }

  const ClockCase& that_;
  const Table& table_;
  Worker worker_;
  const std::int64_t number_;  // in the job
  std::vector<Key> keys_;
  double wait_seconds_ = 0;
  double lag_ = 0;
};

Result<> check_sums(const ClockCase& that, Session& session, const Table& table) {
  GODWIT_TRY_ASSIGN(Worker reader, session.worker());
  const auto workers = static_cast<std::size_t>(that.nodes * that.workers);
  std::vector<float> row(workers);
  for (Key key = 0; key < that.rows; ++key) {
    GODWIT_TRY(reader.pull(table, {&key, 1}, row));
    for (const float value : row) {
      if (double{value} == static_cast<double>(that.ticks)) continue;
      return corruption("row {} counts {} of {} ticks", key, value, that.ticks);
    }
  }
  return {};
}

Result<> run_node(const ClockCase& that, SessionOptions place, ClockReport& report) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // inherited by the workers' threads
  place.workers = that.workers;
  GODWIT_TRY_ASSIGN(Session session, Session::open(place));
  GODWIT_TRY_ASSIGN(
      const Table table,
      session.table({.name = "ticks",
                     .rows = that.rows,
                     .row_length = static_cast<std::uint32_t>(that.nodes * that.workers),
                     .consistency = that.consistency}));
  std::vector<ClockWorker> workers;
  for (std::int64_t i = 0; i < that.workers; ++i) {
    GODWIT_TRY_ASSIGN(Worker worker, session.worker());
    workers.emplace_back(that, table, std::move(worker), session.node().value() * that.workers + i);
  }
  GODWIT_TRY(session.barrier());
  const auto begin = Clock::now();
  GODWIT_TRY(run_in_threads(workers, [](ClockWorker& worker) { return worker.run(); }));
  report.seconds = seconds_since(begin);
  for (const ClockWorker& worker : workers) {
    report.wait_seconds += worker.wait_seconds();
    report.lag += worker.lag() / static_cast<double>(workers.size());
  }
  workers.clear();
  GODWIT_TRY(session.barrier());
  GODWIT_TRY(check_sums(that, session, table));
  return session.close();
}

struct ClockFigures {
  double tick_seconds = 0;
  double wait_share = 0;
  double lag = 0;
};

Result<ClockFigures> run_job(const ClockCase& that, std::uint64_t run) {
  const std::string job = fmt::format("clocks-{}-{}", ::getpid(), run);
  GODWIT_TRY_ASSIGN(const auto reports,
                    run_forked<ClockReport>(that.nodes, job, [&](const SessionOptions& place) {
                      return report_of<ClockReport>(
                          [&](ClockReport& report) { return run_node(that, place, report); });
                    }));
  GODWIT_TRY(check_reports(reports));
  ClockFigures figures;
  double workers_seconds = 0;
  for (const ClockReport& report : reports) {
    figures.tick_seconds =
        std::max(figures.tick_seconds, report.seconds / static_cast<double>(that.ticks));
    figures.wait_share += report.wait_seconds;
    figures.lag += report.lag / static_cast<double>(reports.size());
    workers_seconds += report.seconds * static_cast<double>(that.workers);
  }
  figures.wait_share /= workers_seconds;
  return figures;
}

// A tick of a worker that never waits, on the mean.
double seconds_alone(const ClockCase& that) {
  double most = 0;
  for (std::int64_t worker = 0; worker < that.nodes * that.workers; ++worker) {
    double steps = 0;
    for (std::int64_t tick = 0; tick < that.ticks; ++tick) steps += steps_of(that, worker, tick);
    most = std::max(most, steps);
  }
  return most * that.step_ms * 1e-3 / static_cast<double>(that.ticks);
}

}  // namespace

Result<> ClockCase::validate() const {
  if (nodes < 1 || workers < 1 || ticks < 1 || rows < 1) {
    return invalid_argument("there must be a node, a worker, a tick and a row at least");
  }
  if (!(step_ms >= 0 && step_ms <= 1000)) {
    return invalid_argument("step_ms is {}: it must be 0 to 1000", step_ms);
  }
  return {};
}

std::string to_string(const ClockCase& that) {
  return fmt::format("{}/nodes={}x{}/rows={}/step={}ms/{}", to_string(that.straggler), that.nodes,
                     that.workers, that.rows, that.step_ms, to_string(that.consistency));
}

ClockBenchOptions ClockBenchOptions::full() {
  ClockBenchOptions options;
  const std::vector<Consistency> all{{.kind = ConsistencyKind::kBsp},
                                     {.kind = ConsistencyKind::kSsp, .staleness = 0},
                                     {.kind = ConsistencyKind::kSsp, .staleness = 1},
                                     {.kind = ConsistencyKind::kSsp, .staleness = 2},
                                     {.kind = ConsistencyKind::kSsp, .staleness = 4},
                                     {.kind = ConsistencyKind::kSsp, .staleness = 8},
                                     {},
                                     {.kind = ConsistencyKind::kAuto}};
  for (const Straggler straggler : {Straggler::kTransient, Straggler::kPermanent}) {
    for (const Consistency& consistency : all) {
      options.cases.push_back({.straggler = straggler, .consistency = consistency});
    }
  }
  options.cases.push_back({.workers = 1,
                           .ticks = 2000,
                           .step_ms = 0.1,
                           .straggler = Straggler::kSlowWorker,
                           .consistency = all[1]});
  return options;
}

ClockBenchOptions ClockBenchOptions::quick() {
  ClockBenchOptions options = full();
  options.repetitions = 1;
  for (ClockCase& that : options.cases) that.ticks /= 4;
  return options;
}

Result<> run_clock_bench(const ClockBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result) {
  if (options.repetitions < 1) return invalid_argument("nothing to run: no repetition");
  for (const ClockCase& that : options.cases) GODWIT_TRY(that.validate());
  std::vector<std::vector<ClockFigures>> runs(options.cases.size());
  std::uint64_t run = 0;
  for (std::size_t round = 0; round < options.repetitions; ++round) {
    for (std::size_t i = 0; i < options.cases.size(); ++i) {
      GODWIT_TRY_ASSIGN(const ClockFigures figures, run_job(options.cases[i], ++run));
      runs[i].push_back(figures);
    }
  }
  for (std::size_t i = 0; i < options.cases.size(); ++i) {
    std::sort(runs[i].begin(), runs[i].end(), [](const ClockFigures& a, const ClockFigures& b) {
      return a.tick_seconds < b.tick_seconds;
    });
    const ClockFigures& median = runs[i][runs[i].size() / 2];
    const double alone = seconds_alone(options.cases[i]);
    on_result({.bench = "clocks",
               .case_name = to_string(options.cases[i]),
               .value = median.tick_seconds * 1e6,
               .unit = "us/tick",
               .limit = alone * 1e6,
               .ratio = alone / median.tick_seconds,
               .note = "limit: the slowest worker alone",
               .figures = {{"ticks_per_s", 1 / median.tick_seconds},
                           {"wait_share", median.wait_share},
                           {"lag", median.lag}}});
  }
  return {};
}

}  // namespace godwit
