// tests/proc/storm_job.cc: a node of a job whose threads lease, push and pull rows at random.
//
//   storm_job SEED TICKS ROWS PLACEMENT
//
// Each of two workers adds 1 to the first element of rows under leases, with hints that are early,
// late, wrong or never used, and 1 to the second by pushes, and reads back what it pushed. In the
// end all that was added must be in the rows: prints "sums are right". Exit codes: 0, 1 an error
// or a wrong sum, 2 bad input, 3 a node was lost.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "godwit/godwit.h"

namespace {

using godwit::Key;
using godwit::Tick;

struct Storm {
  std::uint64_t seed = 0;
  std::int64_t ticks = 0;
  std::uint64_t rows = 0;
  godwit::Placement placement = godwit::Placement::kIntent;
};

struct Added {
  double leased = 0;
  double pushed = 0;
};

int say(const godwit::Error& error) {
  std::fprintf(stderr, "storm_job: %s\n", error.message().c_str());
  return error.code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}

godwit::Error wrong(const char* what) {
  return godwit::Error(godwit::ErrorCode::kCorruption, what);
}

class StormWorker {
 public:
  StormWorker(godwit::Worker worker, const godwit::Table& table, const Storm& storm,
              std::uint64_t seed)
      : worker_(std::move(worker)), table_(table), storm_(storm), random_(seed) {}

  godwit::Result<> run(Added& added) {
    for (std::int64_t tick = 0; tick < storm_.ticks; ++tick) {
      if (auto done = hint(tick); !done) return done;
      if (auto done = use(tick, added); !done) return done;
      if (below(3) == 0) {
        if (auto done = push_and_pull(added); !done) return done;
      }
      if (auto done = worker_.advance(); !done) return done;
    }
    return {};
  }

 private:
  struct Held {
    std::int64_t first;
    godwit::Lease lease;
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::vector<Key> draw_keys() {
    std::vector<Key> keys(1 + below(8));
    // Some rows are hot.
    for (Key& key : keys) key = below(4) == 0 ? below(3) : below(storm_.rows);
    return keys;
  }

  godwit::Result<> hint(std::int64_t tick) {
    const auto first = tick + static_cast<std::int64_t>(below(40)) - 3;
    const auto last = first + 1 + static_cast<std::int64_t>(below(4));
    auto lease = worker_.intend(table_, draw_keys(), Tick{first}, Tick{last});
    if (!lease) return lease.error();
    leases_.push_back({first, std::move(*lease)});
    return {};
  }

  godwit::Result<> use(std::int64_t tick, Added& added) {
    for (Held& held : leases_) {
      if (held.first != tick || below(5) == 0) continue;
      if (auto opened = worker_.open(held.lease); !opened) return opened;
      for (std::size_t i = 0; i < held.lease.size(); ++i) held.lease[i].value()[0] += 1;
      added.leased += static_cast<double>(held.lease.size());
      if (below(2) == 0) {
        if (auto closed = worker_.close(held.lease); !closed) return closed;
      }
    }
    std::erase_if(leases_, [&](const Held& held) { return held.first + 5 < tick; });
    return {};
  }

  godwit::Result<> push_and_pull(Added& added) {
    const std::vector<Key> keys = draw_keys();
    std::vector<float> rows(keys.size() * 2);
    for (std::size_t i = 0; i < keys.size(); ++i) rows[2 * i + 1] = 1;
    if (auto pushed = worker_.push(table_, keys, rows); !pushed) return pushed;
    added.pushed += static_cast<double>(keys.size());
    if (auto pulled = worker_.pull(table_, keys, rows); !pulled) return pulled;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (rows[2 * i + 1] < 1) return wrong("a worker did not see what it had pushed");
    }
    return {};
  }

  godwit::Worker worker_;
  const godwit::Table& table_;
  const Storm& storm_;
  std::mt19937_64 random_;
  std::vector<Held> leases_;
};

godwit::Result<> check(godwit::Session& session, const godwit::Table& table,
                       const godwit::Table& totals, const Storm& storm, const Added& added) {
  auto worker = session.worker();
  if (!worker) return worker.error();
  const std::vector<Key> node = {static_cast<Key>(session.node().value())};
  const std::vector<float> mine = {static_cast<float>(added.leased),
                                   static_cast<float>(added.pushed)};
  if (auto pushed = worker->push(totals, node, mine); !pushed) return pushed;
  if (auto met = session.barrier(); !met) return met;
  std::vector<Key> keys(storm.rows);
  for (Key key = 0; key < storm.rows; ++key) keys[key] = key;
  std::vector<float> rows(storm.rows * 2);
  if (auto pulled = worker->pull(table, keys, rows); !pulled) return pulled;
  std::vector<Key> nodes(static_cast<std::size_t>(session.nodes()));
  for (Key key = 0; key < nodes.size(); ++key) nodes[key] = key;
  std::vector<float> expected(nodes.size() * 2);
  if (auto pulled = worker->pull(totals, nodes, expected); !pulled) return pulled;
  double difference[2] = {};
  for (std::size_t i = 0; i < rows.size(); ++i) difference[i % 2] += rows[i];
  for (std::size_t i = 0; i < expected.size(); ++i) difference[i % 2] -= expected[i];
  if (difference[0] != 0 || difference[1] != 0) {
    std::fprintf(stderr, "leased: %+.0f, pushed: %+.0f\n", difference[0], difference[1]);
    return wrong("the sums are wrong");
  }
  std::puts("sums are right");
  return session.barrier();
}

godwit::Result<> run(godwit::Session& session, const Storm& storm) {
  auto table = session.table(
      {.name = "rows", .rows = storm.rows, .row_length = 2, .placement = storm.placement});
  if (!table) return table.error();
  auto totals = session.table({.name = "totals", .rows = 1000, .row_length = 2});
  if (!totals) return totals.error();
  std::puts("working");
  std::fflush(stdout);
  Added added;
  godwit::Result<> worst;
  {
    std::mutex mutex;
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < 2; ++i) {
      auto worker = session.worker();
      if (!worker) return worker.error();
      const auto seed =
          storm.seed * 1000 + static_cast<std::uint64_t>(session.node().value()) * 10 + i;
      threads.emplace_back([&, seed, taken = std::move(*worker)]() mutable {
        Added mine;
        auto done = StormWorker(std::move(taken), *table, storm, seed).run(mine);
        const std::scoped_lock lock(mutex);
        added.leased += mine.leased;
        added.pushed += mine.pushed;
        if (!done) worst = std::move(done);
      });
    }
  }
  if (!worst) return worst;
  return check(session, *table, *totals, storm, added);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  auto placement = godwit::parse_placement(argv[4]);
  if (!placement) return 2;
  const Storm storm{.seed = std::strtoull(argv[1], nullptr, 10),
                    .ticks = std::strtoll(argv[2], nullptr, 10),
                    .rows = std::strtoull(argv[3], nullptr, 10),
                    .placement = *placement};
  auto session = godwit::Session::open();
  if (!session) return say(session.error());
  if (auto done = run(*session, storm); !done) {
    const int code = say(done.error());
    (void)session->close().ok();
    return code;
  }
  if (auto closed = session->close(); !closed) return say(closed.error());
  return 0;
}
