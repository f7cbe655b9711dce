// bench/placement_node.cc: the workers of one node, each on its own thread.
#include "bench/placement_node.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/processor_time.h"
#include "bench/row_work.h"
#include "bench/worker_threads.h"
#include "net/delaying_transport.h"
#include "placement/partition_map.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRowsAtOnce = 1024;  // of pulls and sets that are not timed

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Owned by one thread at a time.
class WorkerLoop {
 public:
  WorkerLoop(const PlacementCase& that, const Trace& trace, const Table& table, Worker worker,
             std::int64_t node, std::int64_t index)
      : that_(that),
        trace_(trace),
        table_(table),
        worker_(std::move(worker)),
        node_(node),
        index_(index),
        leases_(that.ahead + 1) {}

  // The next `steps` steps.
  Result<> run(std::size_t steps) {
    if (step_ == 0) {
      for (std::size_t step = 0; step < that_.ahead; ++step) GODWIT_TRY(intend(step));
    }
    for (const std::size_t end = step_ + steps; step_ < end; ++step_) {
      GODWIT_TRY(intend(step_ + that_.ahead));
      GODWIT_TRY(touch(leases_[step_ % leases_.size()]));
      compute();
      GODWIT_TRY(advance());
    }
    return {};
  }

  // Forgets what was measured so far.
  void start_measuring(std::size_t steps) {
    for (auto* times : {&intends_, &accesses_, &advances_}) {
      times->clear();
      times->reserve(steps);
    }
  }
  void end_all() { leases_.clear(); }

  const std::vector<double>& intends() const { return intends_; }
  const std::vector<double>& accesses() const { return accesses_; }
  const std::vector<double>& advances() const { return advances_; }

 private:
  Result<> intend(std::size_t step) {
    const auto begin = Clock::now();
    const auto first = static_cast<std::int64_t>(step);
    GODWIT_TRY_ASSIGN(Lease lease, worker_.intend(table_, trace_.keys(node_, index_, step),
                                                  Tick{first}, Tick{first + 1}));
    intends_.push_back(seconds_since(begin));
    leases_[step % leases_.size()] = std::move(lease);
    return {};
  }

  Result<> touch(Lease& lease) {
    const auto begin = Clock::now();
    if (that_.opens) {
      GODWIT_TRY(worker_.open(lease, that_.access));
      work_on(that_.pattern.kind, lease);
    }
    GODWIT_TRY(worker_.close(lease));
    accesses_.push_back(seconds_since(begin));
    return {};
  }

  Result<> advance() {
    const auto begin = Clock::now();
    GODWIT_TRY(worker_.advance());
    advances_.push_back(seconds_since(begin));
    return {};
  }

  void compute() const {
    if (that_.compute_ms <= 0) return;
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(that_.compute_ms));
  }

  const PlacementCase& that_;
  const Trace& trace_;
  const Table& table_;
  Worker worker_;
  const std::int64_t node_;
  const std::int64_t index_;
  std::vector<Lease> leases_;  // by step, of the next ones
  std::size_t step_ = 0;
  std::vector<double> intends_;  // seconds of each
  std::vector<double> accesses_;
  std::vector<double> advances_;
};

double quantile(const std::vector<WorkerLoop>& loops,
                const std::vector<double>& (WorkerLoop::*times)() const, double share) {
  std::vector<double> all;
  for (const WorkerLoop& loop : loops) {
    const std::vector<double>& some = (loop.*times)();
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
}

double sum_of(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0);
}

class PlacementNode {
 public:
  PlacementNode(const PlacementCase& that, const Pattern& pattern, const Trace& trace,
                const std::vector<std::uint32_t>& touches, Session session, Table table)
      : that_(that),
        pattern_(pattern),
        trace_(trace),
        touches_(touches),
        session_(std::move(session)),
        table_(std::move(table)) {
    const PartitionMap map(that.pattern.nodes);
    for (Key key = 0; key < pattern.rows(); ++key) {
      if (map.home(TableId{0}, key) == session_.node()) at_home_.push_back(key);
    }
  }

  Result<> run(PlacementNodeReport& report) {
    ::prctl(PR_SET_TIMERSLACK, 1);  // inherited by the workers' threads
    GODWIT_TRY(write_rows());
    std::vector<WorkerLoop> loops;
    for (std::int64_t index = 0; index < that_.pattern.workers; ++index) {
      GODWIT_TRY_ASSIGN(Worker worker, session_.worker());
      loops.emplace_back(that_, trace_, table_, std::move(worker), session_.node().value(), index);
    }
    GODWIT_TRY(session_.barrier());
    GODWIT_TRY(run_all(loops, that_.warm_steps));
    for (WorkerLoop& loop : loops) loop.start_measuring(that_.steps);
    // Without a barrier, which would send away all rows that are expected to be wanted again.
    GODWIT_TRY(measure(loops, report));
    for (WorkerLoop& loop : loops) loop.end_all();
    loops.clear();
    GODWIT_TRY(session_.barrier());
    GODWIT_TRY(check_rows(report));
    return session_.close();
  }

 private:
  // Each node writes the rows whose home it is.
  Result<> write_rows() {
    GODWIT_TRY_ASSIGN(Worker keeper, session_.worker());
    if (!pattern_.starts_written()) return {};
    const std::size_t length = pattern_.row_length();
    std::vector<float> values;
    for (std::size_t begin = 0; begin < at_home_.size(); begin += kRowsAtOnce) {
      const auto keys =
          std::span(at_home_).subspan(begin).first(std::min(kRowsAtOnce, at_home_.size() - begin));
      values.resize(keys.size() * length);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        write_start(pattern_, keys[i], std::span(values).subspan(i * length, length));
      }
      GODWIT_TRY(keeper.set(table_, keys, values));
    }
    return {};
  }

  static Result<> run_all(std::vector<WorkerLoop>& loops, std::size_t steps) {
    return run_in_threads(loops, [steps](WorkerLoop& loop) { return loop.run(steps); });
  }

  Result<> measure(std::vector<WorkerLoop>& loops, PlacementNodeReport& report) {
    std::map<std::string, double> before = session_.metrics();
    const double cpu_begin = processor_seconds();
    const auto begin = Clock::now();
    GODWIT_TRY(run_all(loops, that_.steps));
    const auto drain_begin = Clock::now();
    GODWIT_TRY(session_.barrier());
    report.drain_seconds = seconds_since(drain_begin);
    report.seconds = seconds_since(begin);
    report.cpu_seconds = processor_seconds() - cpu_begin;
    std::map<std::string, double> after = session_.metrics();
    const auto grown = [&](const char* name) { return after[name] - before[name]; };
    report.leased_keys = grown("lease.keys");
    report.missed_keys = grown("lease.missed_keys");
    if (after.contains("lease.brought_keys")) report.brought_keys = grown("lease.brought_keys");
    report.sent_bytes = grown("sent.bytes");
    report.sent_frames = grown("sent.frames");
    report.clock_bytes = grown("clock.bytes");
    for (const char* bucket : {"row_lock.to_1us", "row_lock.to_2us", "row_lock.to_5us"}) {
      report.holds += grown(bucket);
    }
    for (const char* bucket : {"row_lock.to_20us", "row_lock.to_1000us", "row_lock.over_1000us"}) {
      report.long_holds += grown(bucket);
    }
    report.holds += report.long_holds;
    report.longest_hold = after["row_lock.longest_ns"] * 1e-9;
    report.resident_rows = static_cast<double>(table_.stats().resident_rows);
    report.keys = static_cast<double>(loops.size() * that_.steps * pattern_.keys_per_step());
    for (const WorkerLoop& loop : loops) {
      report.intend_seconds += sum_of(loop.intends());
      report.access_seconds += sum_of(loop.accesses());
      report.advance_seconds += sum_of(loop.advances());
    }
    report.intend_p50 = quantile(loops, &WorkerLoop::intends, 0.5);
    report.access_p50 = quantile(loops, &WorkerLoop::accesses, 0.5);
    report.access_p99 = quantile(loops, &WorkerLoop::accesses, 0.99);
    return {};
  }

  Result<> check_rows(PlacementNodeReport& report) {
    GODWIT_TRY_ASSIGN(Worker keeper, session_.worker());
    const std::size_t length = pattern_.row_length();
    std::vector<float> values;
    double expected = 0;
    for (std::size_t begin = 0; begin < at_home_.size(); begin += kRowsAtOnce) {
      const auto keys =
          std::span(at_home_).subspan(begin).first(std::min(kRowsAtOnce, at_home_.size() - begin));
      values.resize(keys.size() * length);
      GODWIT_TRY(keeper.pull(table_, keys, values));
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto row = std::span(values).subspan(i * length, length);
        const double wanted = that_.opens ? touches_[keys[i]] : 0;
        GODWIT_TRY(check_row(keys[i], row.subspan(pattern_.first_counter()), wanted));
        expected += wanted;
        report.touches_found += double{row.back()};
      }
    }
    if (report.touches_found >= 0.99 * expected) return {};
    return corruption("rows were touched {} times, and hold {}", expected, report.touches_found);
  }

  Result<> check_row(Key key, std::span<const float> counters, double wanted) const {
    for (const float counter : counters) {
      if (double{counter} == wanted) continue;
      if (that_.access == Access::kRacy && double{counter} < wanted) continue;
      return corruption("row {} was touched {} times, and counts {}", key, wanted, counter);
    }
    return {};
  }

  const PlacementCase& that_;
  const Pattern& pattern_;
  const Trace& trace_;
  const std::vector<std::uint32_t>& touches_;
  Session session_;
  Table table_;
  std::vector<Key> at_home_;
};

Result<> run_node(const PlacementCase& that, Placement policy, const Pattern& pattern,
                  const Trace& trace, const std::vector<std::uint32_t>& touches,
                  SessionOptions place, PlacementNodeReport& report) {
  place.workers = that.pattern.workers + 1;  // the first writes the rows, and ends
  GODWIT_TRY_ASSIGN(Session session, Session::open(place));
  GODWIT_TRY_ASSIGN(Table table, session.table({.name = "bench",
                                                .rows = pattern.rows(),
                                                .row_length = pattern.row_length(),
                                                .rule = pattern.rule(),
                                                .consistency = that.consistency,
                                                .placement = policy}));
  return PlacementNode(that, pattern, trace, touches, std::move(session), std::move(table))
      .run(report);
}

}  // namespace

Result<> PlacementCase::validate() const {
  GODWIT_TRY(pattern.validate());
  if (steps < 1) return invalid_argument("steps is 0: there must be some");
  if (!(compute_ms >= 0 && compute_ms <= 1000)) {
    return invalid_argument("compute_ms is {}: it must be 0 to 1000", compute_ms);
  }
  if (!link.empty()) GODWIT_TRY(parse_link_speed(link));
  return {};
}

std::string to_string(const PlacementCase& that) {
  const bool is_async = that.consistency.kind == ConsistencyKind::kAsync;
  return fmt::format("{}/batch={}/nodes={}x{}/compute={}ms/ahead={}{}{}{}{}",
                     to_string(that.pattern.kind), that.pattern.batch, that.pattern.nodes,
                     that.pattern.workers, that.compute_ms, that.ahead,
                     that.link.empty() ? "" : "/link=", that.link, is_async ? "" : "/",
                     is_async ? "" : to_string(that.consistency));
}

PlacementNodeReport run_placement_node(const PlacementCase& that, Placement policy,
                                       const Pattern& pattern, const Trace& trace,
                                       const std::vector<std::uint32_t>& touches,
                                       const SessionOptions& place) {
  return report_of<PlacementNodeReport>([&](PlacementNodeReport& report) {
    return run_node(that, policy, pattern, trace, touches, place, report);
  });
}

}  // namespace godwit
