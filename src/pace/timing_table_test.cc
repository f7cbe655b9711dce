// pace/timing_table_test.cc: order statistics against laws that are known, and what is missing.
#include "pace/timing_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

double exponential(Prng& prng, double mean) {
  return -mean * std::log(1 - prng.uniform());
}

// A table and what feeds it.
struct Fed {
  std::uint32_t workers;
  DelayStatistics delays{workers};
  TimingTable table;
  std::vector<std::uint8_t> live = std::vector<std::uint8_t>(workers, 1);

  explicit Fed(std::uint32_t n, std::size_t steps = TimingTable::kSteps)
      : workers(n), table(n, LoadLadder(40), steps) {}
  void note(std::uint64_t step, std::uint32_t worker, const DelayObservation& observation) {
    delays.note(worker, observation);
    table.note(step, worker, observation);
  }
  void rebuild() {
    delays.fit();
    table.rebuild(delays, live);
  }
};

TEST(TimingTable, IsTheKthSmallestOfScaledTimes) {
  Fed fed(3);
  // Worker w: 1 + w seconds of communication, 0.1 * (3 - w) for each sample.
  for (std::uint64_t step = 0; step < 5; ++step) {
    for (std::uint32_t w = 0; w < 3; ++w) fed.note(step, w, {1.0 + w, 0.1 * (3 - w) * 8, 8});
  }
  EXPECT_EQ(fed.table.live(), 0U) << "before the first rebuild";
  fed.rebuild();
  EXPECT_EQ(fed.table.live(), 3U);
  // Load 2: 1.6, 2.4, 3.2. Load 40: 13, 10, 7.
  EXPECT_NEAR(fed.table.mu(1, 0), 1.6, 1e-9);
  EXPECT_NEAR(fed.table.mu(2, 0), 2.4, 1e-9);
  EXPECT_NEAR(fed.table.mu(3, 0), 3.2, 1e-9);
  EXPECT_NEAR(fed.table.mu(1, 6), 7, 1e-9);
  EXPECT_NEAR(fed.table.mu(3, 6), 13, 1e-9);
}

// Parameters come late: most of whom nobody waits for have not begun when the step is over.
TEST(TimingTable, WhoHasNotEvenBegunIsSlowToo) {
  constexpr std::uint32_t kWorkers = 8;
  double foretold = 0;
  double taken = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Fed fed(kWorkers);
    Prng prng(seed);
    for (std::uint32_t w = 0; w < kWorkers; ++w) fed.note(0, w, {1, 1, 40});
    for (std::uint64_t step = 1; step < 200; ++step) {
      std::vector<double> comm;
      std::vector<double> ends;
      for (std::uint32_t w = 0; w < kWorkers; ++w) {
        comm.push_back(exponential(prng, 1));
        ends.push_back(comm.back() + exponential(prng, 1));
      }
      std::vector<double> sorted = ends;
      std::sort(sorted.begin(), sorted.end());
      taken += sorted.back() / (199 * 10);
      for (std::uint32_t w = 0; w < kWorkers; ++w) {
        // One is waited for; who has not begun then says so.
        const bool has_begun = comm[w] < sorted[0];
        const DelayObservation whole{comm[w], ends[w] - comm[w], 40};
        const DelayObservation late{.comm_seconds = comm[w], .load = 40};
        fed.note(step, w, has_begun ? whole : late);
      }
    }
    fed.rebuild();
    foretold += fed.table.mu(kWorkers, fed.table.ladder().size() - 1) / 10;
  }
  EXPECT_NEAR(foretold / taken, 1, 0.1) << "without these, hardly more than of who is fast";
}

// The k-th of n exponential times of mean 1 takes H_n - H_(n-k).
TEST(TimingTable, AgreesWithExponentialOrderStatistics) {
  constexpr std::uint32_t kWorkers = 20;
  Fed fed(kWorkers, 4000);
  Prng prng(1);
  for (std::uint64_t step = 0; step < 4000; ++step) {
    for (std::uint32_t w = 0; w < kWorkers; ++w) fed.note(step, w, {0, exponential(prng, 1), 40});
  }
  fed.rebuild();
  double expected = 0;
  for (std::uint32_t k = 1; k <= kWorkers; ++k) {
    expected += 1.0 / (kWorkers - k + 1);
    EXPECT_NEAR(fed.table.mu(k, 6) / expected, 1, 0.05) << k;
    EXPECT_NEAR(fed.table.mu(k, 0) / (expected / 20), 1, 0.05) << k;
  }
}

TEST(TimingTable, RisesWithWorkersAndLoad) {
  Fed fed(10);
  Prng prng(2);
  for (std::uint64_t step = 0; step < 60; ++step) {
    for (std::uint32_t w = 0; w < 10; ++w) {
      fed.note(step, w, {exponential(prng, 1), exponential(prng, 1), 16});
    }
  }
  fed.rebuild();
  for (std::size_t rung = 0; rung < 7; ++rung) {
    for (std::uint32_t k = 2; k <= 10; ++k) {
      EXPECT_GE(fed.table.mu(k, rung), fed.table.mu(k - 1, rung));
    }
    EXPECT_GE(fed.table.mu(5, rung), fed.table.mu(5, rung == 0 ? 0 : rung - 1));
  }
}

TEST(TimingTable, ForgetsOldSteps) {
  Fed fed(2, 10);
  for (std::uint64_t step = 0; step < 30; ++step) {
    for (std::uint32_t w = 0; w < 2; ++w) fed.note(step, w, {step < 20 ? 100.0 : 1.0, 0, 1});
  }
  fed.note(3, 0, {1000, 0, 1});
  fed.rebuild();
  EXPECT_DOUBLE_EQ(fed.table.mu(2, 0), 1);
}

TEST(TimingTable, ThoseThatAreGoneDoNotCount) {
  Fed fed(3);
  for (std::uint32_t w = 0; w < 3; ++w) fed.note(0, w, {1.0 + w, 0, 1});
  fed.live[1] = 0;
  fed.rebuild();
  EXPECT_EQ(fed.table.live(), 2U);
  EXPECT_DOUBLE_EQ(fed.table.mu(2, 0), 3);
  fed.live = {0, 0, 0};
  fed.rebuild();
  EXPECT_EQ(fed.table.live(), 0U);
}

// Worker 2 is ten times slower and reports in every fourth step only, long after it: it stays slow.
TEST(TimingTable, LateReportsCountAndGapsAreFilledFromTheWorkersOwn) {
  Fed fed(3);
  for (std::uint64_t step = 0; step < 60; ++step) {
    for (std::uint32_t w = 0; w < 2; ++w) fed.note(step, w, {1, 0, 1});
    if (step >= 20 && step % 4 == 0) fed.note(step - 12, 2, {10, 0, 1});
  }
  fed.rebuild();
  EXPECT_DOUBLE_EQ(fed.table.mu(2, 0), 1);
  EXPECT_DOUBLE_EQ(fed.table.mu(3, 0), 10);
}

TEST(TimingTable, WhoWasNeverSeenIsLikeTheOthers) {
  Fed fed(3);
  for (std::uint64_t step = 0; step < 10; ++step) {
    fed.note(step, 0, {1, 0, 1});
    fed.note(step, 1, {3, 0, 1});
  }
  fed.rebuild();
  EXPECT_EQ(fed.table.live(), 3U);
  EXPECT_DOUBLE_EQ(fed.table.mu(1, 0), 1);
  EXPECT_DOUBLE_EQ(fed.table.mu(3, 0), 3);
  EXPECT_DOUBLE_EQ(fed.table.mu(2, 0), 2) << "it is the one in half of the steps, then the other";
}

// D8: 50 workers of Pareto times, a quarter is waited for. What a step of twice as many would take
// is known within a tenth if late workers report, and much too low if they do not.
TEST(TimingTable, WithoutReportsOfLateWorkersItIsFarTooLow) {
  constexpr std::uint32_t kWorkers = 50;
  constexpr std::uint32_t kWaited = kWorkers / 4;
  // Mean 1, index 1.5: x = (1/3) (1 - u)^(-1/1.5).
  const auto pareto = [](Prng& prng) { return std::pow(1 - prng.uniform(), -1 / 1.5) / 3; };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Prng prng(seed);
    Fed all(kWorkers);
    Fed censored(kWorkers);
    double truth = 0;
    constexpr std::uint64_t kSteps = 4000;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      std::vector<std::pair<double, std::uint32_t>> order;
      std::vector<DelayObservation> seen;
      for (std::uint32_t w = 0; w < kWorkers; ++w) {
        seen.push_back({pareto(prng), pareto(prng), 40});
        order.emplace_back(seen[w].comm_seconds + seen[w].compute_seconds, w);
      }
      std::ranges::sort(order);
      truth += order[2 * kWaited - 1].first / kSteps;
      for (std::uint32_t i = 0; i < kWorkers; ++i) {
        all.note(step, order[i].second, seen[order[i].second]);
        if (i < kWaited) censored.note(step, order[i].second, seen[order[i].second]);
      }
    }
    all.rebuild();
    censored.rebuild();
    EXPECT_NEAR(all.table.mu(2 * kWaited, 6) / truth, 1, 0.1);
    EXPECT_LT(censored.table.mu(2 * kWaited, 6) / truth, 0.8);
  }
}

TEST(TimingTable, LoadsBetweenRungsAreInProportion) {
  TimingTable table(2, LoadLadder(40));
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    table.note(0, worker, {.comm_seconds = 1, .compute_seconds = 4.0 + 4 * worker, .samples = 40});
  }
  EXPECT_EQ(table.seconds(1, 20), std::nullopt) << "nobody is known yet";
  const std::vector<std::uint8_t> live{1, 1};
  table.rebuild(DelayStatistics(2), live);
  EXPECT_NEAR(*table.seconds(1, 20), 3, 1e-9);
  EXPECT_NEAR(*table.seconds(2, 20), 5, 1e-9);
  EXPECT_NEAR(*table.seconds(2, 40), 9, 1e-9);
  EXPECT_NEAR(*table.seconds(1, 2), 1.2, 1e-9);
  EXPECT_EQ(table.seconds(3, 20), std::nullopt);
}

}  // namespace
}  // namespace godwit
