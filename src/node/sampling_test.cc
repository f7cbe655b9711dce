// node/sampling_test.cc: samples in real jobs: what is drawn is distributed as promised, and what
// is changed through it is neither lost nor sent where nothing may be sent.
#include "godwit/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "base/chi_square_fixture.h"
#include "godwit/session.h"
#include "node/job_fixture.h"
#include "placement/distribution.h"

namespace godwit {
namespace {

constexpr std::uint64_t kRows = 60;

const TableSpec kTable = {.name = "t", .rows = kRows, .row_length = 1};

std::vector<double> rising_counts() {
  std::vector<double> counts;
  for (std::uint64_t key = 0; key < kRows; ++key) counts.push_back(static_cast<double>(key % 7));
  return counts;
}

std::vector<double> probabilities(const Distribution& target) {
  std::vector<double> all;
  for (Key key = 0; key < target.size(); ++key) all.push_back(target.probability(key));
  return all;
}

// A spec of each distribution, and what it promises.
struct Target {
  SampleSpec spec;
  std::vector<double> probability;
};

std::vector<Target> targets(const SampleLevel& level, std::uint64_t seed) {
  return {
      {SampleSpec::uniform(level, seed).value(),
       probabilities(Distribution::uniform(kRows).value())},
      {SampleSpec::log_uniform(level, seed).value(),
       probabilities(Distribution::log_uniform(kRows).value())},
      {SampleSpec::weighted(rising_counts(), level, seed).value(),
       probabilities(Distribution::weighted(rising_counts()).value())},
  };
}

// Draws `ticks` times 100 rows, in parts, and hands each draw to use(draw).
template <class Use>
void draw_all(Worker& worker, const Table& table, const SampleSpec& spec, int ticks, Use&& use) {
  for (int i = 0; i < ticks; ++i) {
    const std::int64_t tick = worker.tick().value();
    Sample sample = worker.prepare_sample(table, spec, 100, Tick{tick}, Tick{tick + 1}).value();
    for (const std::size_t n : {1U, 0U, 50U, 49U}) {
      const auto draw = worker.draw(sample, n);
      ASSERT_TRUE(draw.ok()) << draw.error().message();
      use(*draw);
    }
    ASSERT_EQ(sample.left(), 0U);
    worker.advance().value();
  }
}

// How often each key was drawn.
std::vector<double> frequencies(Worker& worker, const Table& table, const SampleSpec& spec,
                                int ticks) {
  std::vector<double> seen(kRows);
  draw_all(worker, table, spec, ticks, [&](const Draw& draw) {
    for (const Key key : draw.keys()) seen[key] += 1;
  });
  return seen;
}

// What all nodes of a job have counted.
class Tally {
 public:
  void add(std::size_t of, const std::vector<double>& seen) {
    const std::lock_guard lock(mutex_);
    auto& sum = sums_[of];
    sum.resize(seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) sum[i] += seen[i];
  }
  const std::vector<double>& of(std::size_t i) { return sums_[i]; }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<double>> sums_;
};

void expect_targets(std::int64_t nodes, const SampleLevel& level) {
  Tally tally;
  run_job(nodes, "sampling-targets", [&](Session& session) {
    const Table table = session.table(kTable).value();
    Worker worker = session.worker().value();
    for (std::size_t i = 0; i < 3; ++i) {
      tally.add(i, frequencies(worker, table, targets(level, 5)[i].spec, 300));
    }
    session.barrier().value();
    session.close().value();
  });
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> seen = tally.of(i);
    for (double& n : seen) n /= static_cast<double>(level.reuse);  // independent ones
    EXPECT_LT(chi_square_sigmas(seen, targets(level, 5)[i].probability), kSigmasMax)
        << "target " << i << ", " << nodes << " nodes";
  }
}

TEST(Sampling, ExactDrawsFollowTheTarget) {
  expect_targets(1, SampleLevel::exact());
  expect_targets(2, SampleLevel::exact());
}

TEST(Sampling, PooledDrawsFollowTheTargetInTheLongRun) {
  expect_targets(1, SampleLevel::pooled(8, 32));
  expect_targets(2, SampleLevel::pooled(8, 32));
}

TEST(Sampling, LocalDrawsOfOneNodeAreExact) {
  expect_targets(1, SampleLevel::local());
}

TEST(Sampling, DrawsAreAFunctionOfSeedNodeAndWorker) {
  Tally runs;
  for (std::size_t run = 0; run < 2; ++run) {
    run_job(2, "sampling-seeds", [&](Session& session) {
      const Table table = session.table(kTable).value();
      Worker first = session.worker().value();
      Worker second = session.worker().value();
      std::size_t stream = 8 * run + 4 * static_cast<std::size_t>(session.node().value());
      for (const SampleLevel& level : {SampleLevel::exact(), SampleLevel::pooled(2, 32)}) {
        const SampleSpec spec = SampleSpec::uniform(level, 3).value();
        runs.add(stream++, frequencies(first, table, spec, 2));
        runs.add(stream++, frequencies(second, table, spec, 2));
      }
      session.close().value();
    });
  }
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(runs.of(a) == runs.of(b), a == b + 8) << a << b;
  }
}

// Each node's part of the rows, found out by drawing: all rows are at home and stay there.
std::vector<double> find_resident(Worker& worker, const Table& table, std::uint64_t seed) {
  return frequencies(worker, table, SampleSpec::uniform(SampleLevel::local(), seed).value(), 100);
}

TEST(Sampling, LocalDrawsFollowTheTargetAmongResidentRowsAndSendNothing) {
  Tally tally;
  run_job(2, "sampling-local", [&](Session& session) {
    const Table table = session.table(kTable).value();
    Worker worker = session.worker().value();
    session.barrier().value();
    const auto begin = std::chrono::steady_clock::now();
    const double frames = session.metrics().at("sent.frames");
    const std::vector<double> resident = find_resident(worker, table, 1);
    tally.add(0, resident);
    const auto all = targets(SampleLevel::local(), 2);
    for (const Target& target : all) {
      std::vector<double> within(kRows);
      double mass = 0;
      for (Key key = 0; key < kRows; ++key) {
        if (resident[key] > 0) mass += within[key] = target.probability[key];
      }
      for (double& probability : within) probability /= mass;
      std::vector<double> seen(kRows);
      double masses = 0;
      draw_all(worker, table, target.spec, 200, [&](const Draw& draw) {
        for (std::size_t i = 0; i < draw.size(); ++i) {
          seen[draw.key(i)] += 1;
          draw[i].value()[0] += 1;
          ASSERT_EQ(draw.weight(i), 1);
        }
        masses += draw.resident_mass() * static_cast<double>(draw.size());
      });
      EXPECT_LT(chi_square_sigmas(seen, within), kSigmasMax);
      EXPECT_NEAR(masses / 20'000, mass, 4 * 0.5 / std::sqrt(20'000));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(session.metrics().at("sent.frames") - frames, 4 + 2 * took.count());  // beats
    session.barrier().value();
    session.close().value();
  });
  // Each row was on one of the nodes.
  EXPECT_EQ(std::count(tally.of(0).begin(), tally.of(0).end(), 0), 0);
}

// Most of the target lies on the other node: nearly all draws come from the list of local rows.
TEST(Sampling, LocalWeightsMakeEstimatesUnbiased) {
  run_job(2, "sampling-weights", [&](Session& session) {
    const Table table = session.table(kTable).value();
    Worker worker = session.worker().value();
    std::vector<double> counts = find_resident(worker, table, 1);
    double mass = 0;
    double truth = 0;
    for (Key key = 0; key < kRows; ++key) {
      counts[key] = counts[key] > 0 ? 1 + static_cast<double>(key % 5) : 2e5;
      if (counts[key] > 10) continue;
      mass += counts[key];
      truth += counts[key] * static_cast<double>(key * key);
    }
    truth /= mass;
    const SampleSpec spec = SampleSpec::weighted(counts, SampleLevel::local(), 4).value();
    double sum = 0;
    double squares = 0;
    double drawn = 0;
    double weighted = 0;
    draw_all(worker, table, spec, 300, [&](const Draw& draw) {
      for (std::size_t i = 0; i < draw.size(); ++i) {
        const double f = draw.weight(i) * static_cast<double>(draw.key(i) * draw.key(i));
        sum += f;
        squares += f * f;
        drawn += 1;
        if (draw.weight(i) != 1) weighted += 1;
      }
    });
    const double mean = sum / drawn;
    const double deviation = std::sqrt((squares / drawn - mean * mean) / drawn);
    EXPECT_LT(std::abs(mean - truth), kSigmasMax * deviation) << mean << " for " << truth;
    EXPECT_EQ(drawn, 30'000);
    EXPECT_GT(weighted, drawn / 2);
    session.barrier().value();
    session.close().value();
  });
}

struct Storm {
  std::vector<SampleLevel> levels;  // of each worker of a node
  Placement placement = Placement::kIntent;
  std::int64_t ticks = 200;
};

// A loader prepares samples ahead; the worker adds 1 to each row it draws. Returns how many.
double work(Session& session, const Table& table, const SampleSpec& spec, std::int64_t ticks) {
  Worker worker = session.worker().value();
  std::vector<std::promise<Sample>> samples(static_cast<std::size_t>(ticks));
  std::jthread loader([&] {
    for (std::int64_t tick = 0; tick < ticks; ++tick) {
      samples[static_cast<std::size_t>(tick)].set_value(
          worker.prepare_sample(table, spec, 20, Tick{tick}, Tick{tick + 1 + tick % 3}).value());
    }
  });
  double added = 0;
  std::deque<Sample> kept;
  std::deque<Draw> held;  // some rows longer than they are used
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    kept.push_back(samples[static_cast<std::size_t>(tick)].get_future().get());
    if (kept.size() > 3) kept.pop_front();
    for (Sample& sample : kept) {
      auto draw = worker.draw(sample, std::min<std::size_t>(sample.left(), 9));
      if (!draw.ok()) continue;  // it has ended
      for (std::size_t i = 0; i < draw->size(); ++i) (*draw)[i].value()[0] += 1;
      added += static_cast<double>(draw->size());
      if (tick % 2 == 0) held.push_back(std::move(*draw));
    }
    while (held.size() > 4) held.pop_front();
    if (!worker.advance().ok()) ADD_FAILURE();
  }
  return added;
}

void run_storm(const Storm& storm) {
  Tally added;
  run_job(2, "sampling-storm", [&](Session& session) {
    TableSpec table_spec = kTable;
    table_spec.placement = storm.placement;
    const Table table = session.table(table_spec).value();
    {
      std::vector<std::jthread> threads;
      for (const SampleLevel& level : storm.levels) {
        threads.emplace_back([&] {
          const SampleSpec spec = SampleSpec::log_uniform(level, 9).value();
          added.add(0, {work(session, table, spec, storm.ticks)});
        });
      }
    }
    session.barrier().value();
    Worker worker = session.worker().value();
    std::vector<Key> keys;
    for (Key key = 0; key < kRows; ++key) keys.push_back(key);
    std::vector<float> values(kRows);
    worker.pull(table, keys, values).value();
    session.barrier().value();
    double sum = 0;
    for (const float value : values) sum += value;
    EXPECT_EQ(sum, added.of(0)[0]) << to_string(storm.placement);
    EXPECT_GT(sum, static_cast<double>(storm.ticks * 10));
    session.close().value();
  });
}

TEST(Sampling, WhatIsAddedToDrawnRowsAddsUp) {
  const auto exact = SampleLevel::exact();
  const auto pooled = SampleLevel::pooled(4, 16);
  const auto local = SampleLevel::local();
  for (int i = 0; i < 6; ++i) {
    const auto placement = static_cast<Placement>(i);
    if (placement == Placement::kReplicateAll) continue;  // copies stay
    run_storm({.levels = {exact, exact}, .placement = placement});
    run_storm({.levels = {pooled, pooled}, .placement = placement});
    run_storm({.levels = {exact, local}, .placement = placement});
    run_storm({.levels = {pooled, local}, .placement = placement});
  }
}

// The other node wants all rows, and would have them moved.
TEST(Sampling, RowsStayWhileALocalDrawLives) {
  run_job(2, "sampling-stay", [&](Session& session) {
    TableSpec spec = kTable;
    spec.rows = 8;
    spec.placement = Placement::kIntentPlain;
    const Table table = session.table(spec).value();
    const std::vector<Key> keys = {0, 1, 2, 3, 4, 5, 6, 7};
    Worker worker = session.worker().value();
    Draw draw;
    if (session.node() == NodeId{0}) {
      const SampleSpec local = SampleSpec::uniform(SampleLevel::local()).value();
      Sample sample = worker.prepare_sample(table, local, 40, Tick{0}, Tick{1}).value();
      draw = worker.draw(sample, 40).value();
      EXPECT_EQ(draw.size(), 40U);
    }
    session.barrier().value();
    Lease lease;
    if (session.node() == NodeId{1}) {
      lease = worker.intend(table, keys, Tick{0}, Tick{1}).value();
      worker.open(lease).value();
    }
    session.barrier().value();
    for (std::size_t i = 0; i < draw.size(); ++i) draw[i].value()[0] += 1;
    draw = Draw();
    lease = Lease();
    session.barrier().value();
    std::vector<float> values(8);
    worker.pull(table, keys, values).value();
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0F), 40);
    session.barrier().value();
    session.close().value();
  });
}

// A key that never leaves the pool is leased for ever; others see what is done to it all the same.
TEST(Sampling, ChangesOfPooledRowsAreSeenWhileTheyAreInThePool) {
  run_job(2, "sampling-pool", [&](Session& session) {
    TableSpec spec = kTable;
    spec.rows = 4;
    const Table table = session.table(spec).value();
    const SampleSpec pool = SampleSpec::uniform(SampleLevel::pooled(1000, 64), 1).value();
    Worker worker = session.worker().value();
    draw_all(worker, table, pool, 20, [](const Draw& draw) {
      for (std::size_t i = 0; i < draw.size(); ++i) draw[i].value()[0] += 1;
    });
    session.barrier().value();
    std::vector<float> values(4);
    session.worker().value().pull(table, std::vector<Key>{0, 1, 2, 3}, values).value();
    EXPECT_EQ(values[0] + values[1] + values[2] + values[3], 4000);
    session.barrier().value();
    session.close().value();
  });
}

}  // namespace
}  // namespace godwit
