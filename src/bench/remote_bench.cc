// bench/remote_bench.cc: one process asks, another one answers; the same over a bare socket.
#include "bench/remote_bench.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "godwit/session.h"
#include "placement/partition_map.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

SessionOptions place(SocketKind kind, std::int64_t node, pid_t job) {
  const std::string name = fmt::format("bench-{}-{}", job, to_string(kind));
  return {.nodes = 2,
          .node = NodeId{node},
          .rendezvous = "unix:@" + name,
          .job = name,
          .token = "bench",
          .unix_sockets = kind == SocketKind::kUnix};
}

TableSpec table_spec(const RemoteBenchOptions& options) {
  return {.name = "bench",
          .rows = options.rows,
          .row_length = static_cast<std::uint32_t>(options.length)};
}

// The other process: node 1, and the bare server on a thread beside it.
int serve(const RemoteBenchOptions& options, SocketKind kind, pid_t job, int bare_socket) {
  std::vector<float> rows(options.rows / 2 * options.length);
  std::jthread bare([&] { serve_bare(bare_socket, rows, options.length); });
  auto session = Session::open(place(kind, 1, job));
  if (!session.ok()) return 1;
  if (!session->table(table_spec(options)).ok()) return 1;
  return session->close().ok() ? 0 : 1;
}

class RemoteRun {
 public:
  RemoteRun(const RemoteBenchOptions& options, SocketKind kind, Session& session, Table table,
            int bare_socket, const std::function<void(const BenchResult&)>& on_result)
      : options_(options),
        kind_(kind),
        table_(std::move(table)),
        worker_(session.worker().value()),
        bare_(bare_socket, options.length),
        on_result_(on_result),
        gradients_(options.batch * options.length, 1.0F),
        values_(options.in_flight, std::vector<float>(options.batch * options.length)) {
    const PartitionMap map(2);
    for (Key key = 0; key < options.rows; ++key) {
      if (map.home(TableId{0}, key) == NodeId{1}) theirs_.push_back(key);
    }
  }

  Result<> run() {
    GODWIT_TRY(touch_all());
    GODWIT_TRY(compare(
        "pull", [this] { return pull_ours(); }, [this] { return pull_bare(); }));
    GODWIT_TRY(compare(
        "push", [this] { return push_ours(); }, [this] { return push_bare(); }));
    GODWIT_TRY(verify());
    return compare_single();
  }

 private:
  // Rows of the other process exist from the start, as in its plain array.
  Result<> touch_all() {
    const std::vector<float> zeros(options_.batch * options_.length);
    for (std::size_t begin = 0; begin < theirs_.size(); begin += options_.batch) {
      const std::size_t n = std::min(options_.batch, theirs_.size() - begin);
      GODWIT_TRY(worker_.push(table_, std::span(theirs_).subspan(begin, n),
                              std::span(zeros).first(n * options_.length)));
    }
    return {};
  }

  std::vector<Key> draw_keys() {
    std::vector<Key> keys(options_.batch);
    for (Key& key : keys) key = theirs_[prng_.below(theirs_.size())];
    return keys;
  }
  std::vector<Key> draw_rows() {
    std::vector<Key> rows(options_.batch);
    for (Key& row : rows) row = prng_.below(options_.rows / 2);
    return rows;
  }

  template <class Begin, class End>
  double run_slice(const std::vector<std::vector<Key>>& batches, Begin&& begin, End&& end) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < batches.size() + options_.in_flight; ++i) {
      if (i >= options_.in_flight) end(i - options_.in_flight);
      if (i < batches.size()) begin(i, batches[i]);
    }
    return seconds_since(start);
  }

  std::vector<std::vector<Key>> draw_batches(bool ours) {
    std::vector<std::vector<Key>> batches;
    for (std::size_t i = 0; i < options_.batches; ++i) {
      batches.push_back(ours ? draw_keys() : draw_rows());
    }
    return batches;
  }

  double pull_ours() {
    std::vector<Ticket> tickets(options_.in_flight);
    const std::size_t n = options_.in_flight;
    return run_slice(
        draw_batches(true),
        [&](std::size_t i, const std::vector<Key>& keys) {
          tickets[i % n] = worker_.pull_async(table_, keys, values_[i % n]).value();
        },
        [&](std::size_t i) { worker_.wait(tickets[i % n]).value(); });
  }
  double pull_bare() {
    return run_slice(
        draw_batches(false),
        [&](std::size_t, const std::vector<Key>& rows) { bare_.send_pull(rows); },
        [&](std::size_t i) { bare_.read_rows(values_[i % options_.in_flight]); });
  }
  double push_ours() {
    std::vector<Ticket> tickets(options_.in_flight);
    const std::size_t n = options_.in_flight;
    pushed_ += options_.batches * options_.batch;
    return run_slice(
        draw_batches(true),
        [&](std::size_t i, const std::vector<Key>& keys) {
          tickets[i % n] = worker_.push_async(table_, keys, gradients_).value();
        },
        [&](std::size_t i) { worker_.wait(tickets[i % n]).value(); });
  }
  double push_bare() {
    return run_slice(
        draw_batches(false),
        [&](std::size_t, const std::vector<Key>& rows) { bare_.send_push(rows, gradients_); },
        [&](std::size_t) { bare_.read_done(); });
  }

  template <class Ours, class Bare>
  Result<> compare(const char* operation, Ours&& ours, Bare&& bare) {
    double best_ours = std::numeric_limits<double>::infinity();
    double best_bare = best_ours;
    for (std::size_t i = 0; i < options_.repetitions; ++i) {
      best_bare = std::min(best_bare, bare());
      best_ours = std::min(best_ours, ours());
    }
    const auto keys = static_cast<double>(options_.batches * options_.batch);
    const double gigabytes = keys * static_cast<double>(options_.length * sizeof(float)) / 1e9;
    on_result_({.bench = "remote",
                .case_name = fmt::format("{}/len={}/batch={}/in-flight={}/socket={}", operation,
                                         options_.length, options_.batch, options_.in_flight,
                                         to_string(kind_)),
                .value = best_ours / keys * 1e9,
                .unit = "ns/key",
                .limit = best_bare / keys * 1e9,
                .ratio = best_bare / best_ours,
                .note = fmt::format("{:.2f} GB/s, bare socket {:.2f}", gigabytes / best_ours,
                                    gigabytes / best_bare)});
    return {};
  }

  // Every push added 1 to each element of its rows: the sum over all rows is known.
  Result<> verify() {
    double sum = 0;
    std::vector<float> values;
    for (std::size_t begin = 0; begin < theirs_.size(); begin += options_.batch) {
      const std::size_t n = std::min(options_.batch, theirs_.size() - begin);
      values.resize(n * options_.length);
      GODWIT_TRY(worker_.pull(table_, std::span(theirs_).subspan(begin, n), values));
      for (std::size_t i = 0; i < n; ++i) sum += double{values[i * options_.length]};
    }
    if (sum == static_cast<double>(pushed_)) return {};
    return corruption("{} rows were pushed, but the sum over all rows is {}", pushed_, sum);
  }

  std::vector<double> time_pings(bool on_one_core) {
    // The bytes of a request and of its answer, as they are on the wire.
    constexpr std::size_t kRequestBytes = 4 + 32 + 8 + 32 + 8;
    const std::size_t answer_bytes = 4 + 32 + 8 + 24 + options_.length * sizeof(float);
    bare_.stay_on_one_core(on_one_core);
    std::vector<double> times;
    for (std::size_t i = 0; i < options_.single_keys; ++i) {
      const auto begin = Clock::now();
      bare_.ping(kRequestBytes, answer_bytes);
      times.push_back(seconds_since(begin));
    }
    bare_.stay_on_one_core(false);
    return times;
  }

  Result<> compare_single() {
    std::vector<double> ours;
    std::vector<double> anywhere;
    std::vector<double> on_one_core;
    const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    for (std::size_t round = 0; round < options_.repetitions; ++round) {
      for (std::size_t i = 0; i < options_.single_keys; ++i) {
        const Key key = theirs_[prng_.below(theirs_.size())];
        const auto begin = Clock::now();
        GODWIT_TRY(
            worker_.pull(table_, std::span(&key, 1), std::span(values_[0]).first(options_.length)));
        ours.push_back(seconds_since(begin));
      }
      append(anywhere, time_pings(false));
      append(on_one_core, time_pings(true));
    }
    for (auto* times : {&ours, &anywhere, &on_one_core}) std::sort(times->begin(), times->end());
    for (const auto& [name, share] : {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}}) {
      const auto at = [share = share](const std::vector<double>& times) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] * 1e6;
      };
      const double limit = std::min(at(anywhere), at(on_one_core));
      on_result_({.bench = "remote",
                  .case_name = fmt::format("pull-one/{}/len={}/socket={}", name, options_.length,
                                           to_string(kind_)),
                  .value = at(ours),
                  .unit = "us",
                  .limit = limit,
                  .ratio = limit / at(ours),
                  .note = fmt::format("ping-pong: {:.1f} on one core, else {:.1f}", at(on_one_core),
                                      at(anywhere))});
    }
    return {};
  }

  const RemoteBenchOptions& options_;
  const SocketKind kind_;
  Table table_;
  Worker worker_;
  BareClient bare_;
  const std::function<void(const BenchResult&)>& on_result_;
  Prng prng_{1};
  std::vector<Key> theirs_;
  std::vector<float> gradients_;
  std::vector<std::vector<float>> values_;
  std::uint64_t pushed_ = 0;
};

Result<> run_kind(const RemoteBenchOptions& options, SocketKind kind,
                  const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY_ASSIGN(const SocketPair sockets, connected_pair(kind));
  const pid_t job = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return unavailable("cannot start a second process");
  if (child == 0) {
    ::close(sockets.first);
    ::_exit(serve(options, kind, job, sockets.second));
  }
  ::close(sockets.second);
  auto measured = [&]() -> Result<> {
    GODWIT_TRY_ASSIGN(Session session, Session::open(place(kind, 0, job)));
    GODWIT_TRY_ASSIGN(Table table, session.table(table_spec(options)));
    GODWIT_TRY(RemoteRun(options, kind, session, std::move(table), sockets.first, on_result).run());
    hang_up(sockets.first);
    return session.close();
  }();
  int status = 0;
  ::waitpid(child, &status, 0);
  return measured;
}

}  // namespace

RemoteBenchOptions RemoteBenchOptions::quick() {
  RemoteBenchOptions options;
  options.rows = 200'000;
  options.batches = 100;
  options.single_keys = 1000;
  options.repetitions = 5;
  return options;
}

Result<> run_remote_bench(const RemoteBenchOptions& options,
                          const std::function<void(const BenchResult&)>& on_result) {
  for (const SocketKind kind : options.sockets) GODWIT_TRY(run_kind(options, kind, on_result));
  return {};
}

}  // namespace godwit
