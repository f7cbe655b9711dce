// sched/planner_test.cc: the best schedule, against trying all of them.
#include "sched/planner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "sched/sched_fixture.h"

namespace godwit {
namespace {

struct Case {
  Cluster cluster;
  Job job;
  Calendar calendar;

  Case(std::uint64_t seed, int slots)
      : cluster(small_cluster(2, 100, 4)),
        job(small_job(2.5, 5, 2, 1, 2)),
        calendar(cluster, slots) {
    Prng prng(seed);
    // One resource, and units: taking the cheapest first is exact.
    job.worker = {0, 1};
    job.server = {0, 1};
    job.utility.priority = 5 + static_cast<double>(prng.below(10));
    PriceRule rule;
    rule.lowest = 0.05;
    rule.highest = {0, 8};
    calendar.set_prices(rule);
    for (int t = 0; t < slots; ++t) {
      for (MachineIndex h = 0; h < 2; ++h) {
        calendar.reserve(t, job, {{h, static_cast<int>(prng.below(4)), 0}});
      }
    }
  }
};

// The cost of W workers with their servers in slot t, by trying all layouts.
double slot_cost(const Case& one, int t, int workers, bool internal) {
  const int servers = one.job.servers_for(workers);
  double best = kNoPrice;
  for (int w = 0; w <= workers; ++w) {
    for (int s = 0; s <= servers; ++s) {
      const bool on_one = (w == 0 && s == 0) || (w == workers && s == servers);
      if (internal && !on_one) continue;
      double cost = 0;
      bool has_room = true;
      for (MachineIndex h = 0; h < 2; ++h) {
        const int here = h == 0 ? w + s : workers - w + servers - s;
        has_room = has_room && here <= one.calendar.room(t, h)[1] + 1e-9;
        cost += here * one.calendar.price(t, h)[1];
      }
      if (has_room) best = std::min(best, cost);
    }
  }
  return best;
}

// The best payoff of any schedule: each slot has any workers, on one machine or not.
double best_payoff(const Case& one, int t, double left, double cost) {
  double best = -kNoPrice;
  if (t == one.calendar.slots()) return best;
  best = best_payoff(one, t + 1, left, cost);
  for (int w = 1; w <= one.job.workers_max; ++w) {
    for (const bool internal : {true, false}) {
      const double more = slot_cost(one, t, w, internal);
      if (more == kNoPrice) continue;
      const double rest = left - one.job.speed.samples(w, internal);
      const double payoff = rest <= 1e-9 ? one.job.utility.at(t) - cost - more
                                         : best_payoff(one, t + 1, rest, cost + more);
      best = std::max(best, payoff);
    }
  }
  return best;
}

TEST(Planner, PaysAsMuchAsTheBestOfAllSchedules) {
  int found = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case one(seed, 4);
    Planner planner(one.calendar, {});
    const Schedule schedule =
        planner.best({.job = &one.job, .work = one.job.work, .first = 0, .last = 3});
    const double best = best_payoff(one, 0, one.job.work, 0);
    ASSERT_EQ(schedule.found, best > -kNoPrice);
    if (!schedule.found) continue;
    ++found;
    EXPECT_NEAR(schedule.payoff(), best, 1e-7) << "seed " << seed;
    worst = std::max(worst, std::abs(schedule.payoff() - best));
  }
  std::cout << found << " cases, payoff furthest from the best: " << worst << "\n";
  EXPECT_GT(found, 20);
}

double work_of(const Job& job, const Schedule& schedule) {
  double work = 0;
  for (const PlannedSpan& span : schedule.spans) {
    work += (span.last - span.first + 1) *
            job.speed.samples(workers_of(span.placement), is_internal(span.placement));
  }
  return work;
}

TEST(Planner, SchedulesCoverTheWorkAndKeepToAllBounds) {
  for (const SlotMethod method : {SlotMethod::kGreedy, SlotMethod::kLp}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Instance instance = small_instance(seed, 3, 8, 8);
      Calendar calendar(instance.cluster, instance.slots);
      calendar.set_prices(make_price_rule(instance.jobs, instance.cluster, instance.slots, {}));
      PlannerOptions options;
      options.method = method;
      Planner planner(calendar, options);
      for (const Job& job : instance.jobs) {
        const Schedule schedule = planner.best(
            {.job = &job, .work = job.work, .first = job.arrival, .last = instance.slots - 1});
        if (!schedule.found) continue;
        EXPECT_GE(work_of(job, schedule), job.work * (1 - 1e-9));
        EXPECT_GE(schedule.spans.front().first, job.arrival);
        for (const PlannedSpan& span : schedule.spans) {
          EXPECT_LE(workers_of(span.placement), job.workers_max);
          EXPECT_GE(servers_of(span.placement) * job.workers_per_server,
                    workers_of(span.placement));
        }
        reserve(calendar, job, schedule);  // checks capacities
      }
    }
  }
}

TEST(Planner, FewerPartsOfTheWorkStillCoverIt) {
  Case one(7, 4);
  one.job.work = 3.3;
  for (const int chunks : {1, 2, 3, 5}) {
    PlannerOptions options;
    options.chunks_max = chunks;
    Planner planner(one.calendar, options);
    const Schedule schedule =
        planner.best({.job = &one.job, .work = one.job.work, .first = 0, .last = 3});
    ASSERT_TRUE(schedule.found || chunks == 1);
    if (!schedule.found) continue;
    EXPECT_GE(work_of(one.job, schedule), 3.3 - 1e-9);
  }
}

TEST(Planner, LongJobsAreScheduledInLongSteps) {
  const Cluster cluster = small_cluster(4, 8, 64);
  Calendar calendar(cluster, 5000);
  Job job = small_job(3000, 4, 2, 1, 1.5);
  job.utility = {.kind = Utility::Kind::kConstant, .priority = 5};
  Planner planner(calendar, {});
  const Schedule schedule = planner.best({.job = &job, .work = 3000, .first = 10, .last = 4999});
  ASSERT_TRUE(schedule.found);
  EXPECT_GE(work_of(job, schedule), 3000);
  EXPECT_LT(schedule.spans.size(), 70U);
}

TEST(Planner, KeepsAPlacementWhereAChangeWouldCostAsMuch) {
  const Cluster cluster = small_cluster(3, 8, 64);
  Calendar calendar(cluster, 12);
  PriceRule rule;
  rule.lowest = 0.01;
  rule.highest = {10, 10};
  calendar.set_prices(rule);
  const Job job = small_job(12, 2, 4, 1, 1.5);
  Planner planner(calendar, {});
  const Schedule schedule =
      planner.best({.job = &job, .work = 12, .first = 0, .last = 11, .restart = 0.1});
  ASSERT_TRUE(schedule.found);
  EXPECT_EQ(schedule.spans.size(), 1U);
}

}  // namespace
}  // namespace godwit
