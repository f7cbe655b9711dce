// sched/slot_market_test.cc: what a slot costs, against trying everything.
#include "sched/slot_market.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "sched/sched_fixture.h"
#include "sched/slot_lp.h"

namespace godwit {
namespace {

struct Case {
  Cluster cluster;
  Job job;
  Calendar calendar;

  explicit Case(std::uint64_t seed)
      : cluster(small_cluster(3, 4, 9)), job(small_job(4, 6, 2, 1, 1.5)), calendar(cluster, 1) {
    Prng prng(seed);
    job.worker = {1, 1 + static_cast<double>(prng.below(2))};
    job.server = {0, 1 + static_cast<double>(prng.below(3))};
    job.workers_per_server = 1 + static_cast<int>(prng.below(3));
    PriceRule rule;
    rule.lowest = 0.1;
    rule.highest = {20, 5};
    calendar.set_prices(rule);
    Job other = job;
    other.worker = {1, 1};
    for (MachineIndex h = 0; h < 3; ++h) {
      calendar.reserve(0, other, {{h, static_cast<int>(prng.below(4)), 0}});
    }
  }
};

// The least cost of exactly so many workers and servers, by trying all.
double least_cost(const SlotMarket& market, int workers, int servers, bool internal,
                  MachineIndex h = 0) {
  const Job& job = market.job();
  if (h == market.machine_count()) return workers == 0 && servers == 0 ? 0 : kNoPrice;
  double best = kNoPrice;
  for (int w = 0; w <= workers; ++w) {
    for (int s = 0; s <= servers; ++s) {
      if (internal && w + s > 0 && (w < workers || s < servers)) continue;
      if (w + s > 0 && !fits(job.demand(w, s), market.room()[h])) continue;
      const double rest = least_cost(market, workers - w, servers - s, internal, h + 1);
      best = std::min(best, rest + w * market.worker_cost()[h] + s * market.server_cost()[h]);
    }
  }
  return best;
}

TEST(SlotMarket, OneMachineCostsTheLeastThatThereIs) {
  int found = 0;
  double furthest = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Case one(seed);
    SlotMarket market(one.calendar, one.job);
    market.open(0, 0, {});
    for (int w = 1; w <= 6; ++w) {
      const int s = one.job.servers_for(w);
      JobShares placement;
      const double cost = market.internal(w, s, &placement);
      const double best = least_cost(market, w, s, true);
      if (best == kNoPrice) {
        EXPECT_EQ(cost, kNoPrice);
      } else {
        EXPECT_NEAR(cost, best, 1e-9);
        EXPECT_TRUE(is_internal(placement));
        EXPECT_NEAR(market.keep(placement), cost, 1e-9);
        furthest = std::max(furthest, std::abs(cost - best));
        ++found;
      }
    }
  }
  std::cout << found << " costs, furthest from the least: " << furthest << "\n";
  EXPECT_GT(found, 30);
}

TEST(SlotMarket, SeveralMachinesCostNoLessThanTheLeastAndAreFoundWhereThereIsRoom) {
  double greedy = 0;
  double exact = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Case one(seed);
    SlotMarket market(one.calendar, one.job);
    market.open(0, 0, {});
    SlotLp lp;
    lp.load(market);
    double before = 0;
    for (int w = 1; w <= 6; ++w) {
      const int s = one.job.servers_for(w);
      JobShares placement;
      const double cost = market.external(w, s, &placement);
      const double best = least_cost(market, w, s, false);
      EXPECT_GE(cost, best - 1e-9);
      if (cost == kNoPrice) continue;
      EXPECT_EQ(workers_of(placement), w);
      EXPECT_EQ(servers_of(placement), s);
      EXPECT_NEAR(market.keep(placement), cost, 1e-9);
      EXPECT_GE(cost, before - 1e-9) << "more workers cost more";
      before = cost;
      const SlotLp::Relaxed relaxed = lp.relaxed(w);
      ASSERT_TRUE(relaxed.feasible);
      EXPECT_LE(relaxed.cost, best + 1e-7);
      greedy += cost;
      exact += best;
    }
  }
  std::cout << "greedy by least cost: " << greedy / exact << "\n";
  EXPECT_LT(greedy, 1.05 * exact);
}

TEST(SlotMarket, MachinesThatAreDownHaveNoRoom) {
  Case one(4);
  SlotMarket market(one.calendar, one.job);
  const std::vector<char> up{0, 1, 0};
  market.open(0, 0, up);
  JobShares placement;
  ASSERT_LT(market.external(1, 1, &placement), kNoPrice);
  for (const Share& share : placement) EXPECT_EQ(share.machine, 1U);
  const std::vector<char> none{0, 0, 0};
  market.open(0, 0, none);
  EXPECT_EQ(market.external(1, 1), kNoPrice);
  EXPECT_EQ(market.internal(1, 1), kNoPrice);
}

TEST(SlotLp, RepairedRoundingIsNearTheLeastCostAndPaperRoundingKeepsToCapacity) {
  double repaired = 0;
  double exact = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Case one(seed);
    SlotMarket market(one.calendar, one.job);
    market.open(0, 0, {});
    SlotLp lp;
    lp.load(market);
    for (int w = 1; w <= 6; ++w) {
      const double best = least_cost(market, w, one.job.servers_for(w), false);
      PlannerOptions options;
      options.rounding = Rounding::kRepair;
      const SlotLp::Rounded found = lp.solve(market, w, options, kNoPrice);
      EXPECT_GE(found.cost, best - 1e-9);
      if (found.cost < kNoPrice) {
        repaired += found.cost;
        exact += best;
      }
      options.rounding = Rounding::kPaper;
      options.rounding_gain = 1;
      options.rounding_trials = 200;
      const SlotLp::Rounded paper = lp.solve(market, w, options, kNoPrice);
      if (paper.cost < kNoPrice) {
        EXPECT_GE(workers_of(paper.placement), w);
        EXPECT_LT(market.keep(paper.placement), kNoPrice);
      }
      EXPECT_EQ(lp.solve(market, w, options, kNoPrice).cost, paper.cost) << "same seed";
    }
  }
  std::cout << "repaired by least cost: " << repaired / exact << "\n";
  EXPECT_GT(exact, 0);
  EXPECT_LT(repaired, 1.03 * exact);
}

}  // namespace
}  // namespace godwit
