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
class AllSchedules {
 public:
  explicit AllSchedules(const Case& one) : one_(one) {
    for (int t = 0; t < one.calendar.slots(); ++t) {
      for (int w = 1; w <= one.job.workers_max; ++w) {
        for (const bool internal : {true, false}) costs_.push_back(slot_cost(one, t, w, internal));
      }
    }
  }

  double best_payoff() const { return best_payoff(one_.job.arrival, one_.job.work, 0); }

 private:
  double best_payoff(int t, double left, double cost) const {
    if (t == one_.calendar.slots()) return -kNoPrice;
    const Job& job = one_.job;
    double best = best_payoff(t + 1, left, cost);
    std::size_t at = static_cast<std::size_t>(2 * t * job.workers_max);
    for (int w = 1; w <= job.workers_max; ++w) {
      for (const bool internal : {true, false}) {
        const double more = costs_[at++];
        if (more == kNoPrice) continue;
        const double rest = left - job.speed.samples(w, internal);
        const double payoff = rest <= 1e-9 ? job.utility.at(t - job.arrival) - cost - more
                                           : best_payoff(t + 1, rest, cost + more);
        best = std::max(best, payoff);
      }
    }
    return best;
  }

  const Case& one_;
  std::vector<double> costs_;  // by slot, workers and case
};

TEST(Planner, PaysAsMuchAsTheBestOfAllSchedules) {
  int found = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case one(seed, 4);
    Planner planner(one.calendar, {});
    const Schedule schedule =
        planner.best({.job = &one.job, .work = one.job.work, .first = 0, .last = 3});
    const double best = AllSchedules(one).best_payoff();
    ASSERT_EQ(schedule.found, best > -kNoPrice);
    if (!schedule.found) continue;
    ++found;
    EXPECT_NEAR(schedule.payoff(), best, 1e-7) << "seed " << seed;
    worst = std::max(worst, std::abs(schedule.payoff() - best));
  }
  std::cout << found << " cases, payoff furthest from the best: " << worst << "\n";
  EXPECT_GT(found, 20);
}

// Feasible for the dual: at the prices before each decision, no schedule of the job pays more than
// its lambda, whether it is then admitted or not.
TEST(Dual, LambdaIsNoLessThanAnyPayoff) {
  int admitted = 0;
  int refused = 0;
  double most = -kNoPrice;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case one(seed, 4);
    Planner planner(one.calendar, {});
    Prng prng(mix64(seed, 4));
    for (int i = 0; i < 8; ++i) {
      // Of each, all that any slot can bring is a whole number of its 40 parts.
      constexpr double kWorks[] = {1, 2, 2.5, 4};
      one.job.work = kWorks[prng.below(4)];
      one.job.utility.priority = 1 + static_cast<double>(prng.below(15));
      one.job.arrival = static_cast<int>(prng.below(2));
      const Schedule schedule = planner.best(
          {.job = &one.job, .work = one.job.work, .first = one.job.arrival, .last = 3});
      const double lambda = schedule.found ? std::max(0.0, schedule.payoff()) : 0;
      const double best = AllSchedules(one).best_payoff();
      EXPECT_LE(best, lambda + 1e-7) << "seed " << seed << ", job " << i;
      most = std::max(most, best - lambda);
      if (lambda > 0) reserve(one.calendar, one.job, schedule);
      ++(lambda > 0 ? admitted : refused);
    }
  }
  std::cout << admitted << " admitted, " << refused
            << " refused; payoff of any schedule less lambda, most: " << most << "\n";
  EXPECT_GT(admitted, 20);
  EXPECT_GT(refused, 20);
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
  int found = 0;
  double least = 1e9;
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
        ++found;
        least = std::min(least, work_of(job, schedule) / job.work);
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
  std::cout << found << " schedules; of the work they cover at least " << least << "\n";
  EXPECT_GT(found, 100);
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
    std::cout << chunks << " parts: of the work covered " << work_of(one.job, schedule) / 3.3
              << "\n";
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
