// sched/certificate_test.cc: the dual program's promises, and the bound against the true optimum.
#include "sched/certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>

#include "base/time_source.h"
#include "sched/planner.h"
#include "sched/policies.h"
#include "sched/price_rule.h"
#include "sched/sched_fixture.h"
#include "sched/sim_metrics.h"
#include "sched/simulator.h"

namespace godwit {
namespace {

double utility_of(const Instance& instance, const char* policy, const PolicySettings& settings) {
  const RealTime time;
  auto made = make_policy(policy, settings, instance).value();
  return metrics_of(instance, simulate(instance, *made, {}, time)).utility;
}

TEST(OfflineOptimum, IsWhatTryingAllSchedulesOfOneJobGives) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Instance instance = small_instance(seed, 2, 4, 1);
    const Job& job = instance.jobs[0];
    // Alone in the cluster, a job is best off with all it can use from the start.
    const int on_one = [&] {
      int most = 0;
      for (int w = 1; w <= job.workers_max; ++w) {
        if (fits(job.demand(w), instance.cluster.machines[0].capacity)) most = w;
      }
      return most;
    }();
    double fastest = job.speed.samples(on_one, true);
    for (int w = 1; w <= job.workers_max; ++w) {
      const int servers = job.servers_for(w);
      for (int w0 = 0; w0 <= w; ++w0) {
        for (int s0 = 0; s0 <= servers; ++s0) {
          if (fits(job.demand(w0, s0), instance.cluster.machines[0].capacity) &&
              fits(job.demand(w - w0, servers - s0), instance.cluster.machines[1].capacity)) {
            fastest = std::max(fastest, job.speed.samples(w, false));
          }
        }
      }
    }
    const int slots = static_cast<int>(std::ceil(job.work / fastest - 1e-9));
    const bool in_time = job.arrival + slots <= instance.slots;
    EXPECT_NEAR(OfflineOptimum(instance).solve(), in_time ? job.utility.at(slots - 1) : 0, 1e-5);
  }
}

TEST(Certificate, IsNeverBelowTheOptimumAndPoliciesAreNeverAbove) {
  struct Ratio {
    const char* policy;
    const char* name;
    PolicySettings settings;
    double sum = 0;
    double worst = 1e9;
  };
  PolicySettings as_in_paper;
  as_in_paper.planner.method = SlotMethod::kLp;
  as_in_paper.planner.rounding = Rounding::kPaper;
  as_in_paper.prices.lowest = PriceSettings::Lowest::kTheory;
  std::vector<Ratio> ratios{{"pdors", "pdors", {}},
                            {"godwit", "godwit", {}},
                            {"oasis", "oasis", {}},
                            {"fifo", "fifo", {}},
                            {"drf", "drf", {}},
                            {"srtf", "srtf", {}},
                            {"pdors", "pdors_as_in_paper", as_in_paper}};
  double tightness = 0;
  double least = 1e9;
  constexpr int kCases = 50;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const Instance instance = small_instance(seed, 2, 4, 4);
    const double optimum = OfflineOptimum(instance).solve();
    ASSERT_GT(optimum, 0) << "seed " << seed;
    const double bound = utility_bound(instance);
    EXPECT_GE(bound, optimum * (1 - 1e-6)) << "seed " << seed;
    tightness += bound / optimum / kCases;
    least = std::min(least, bound / optimum);
    for (Ratio& ratio : ratios) {
      const double share = utility_of(instance, ratio.policy, ratio.settings) / optimum;
      EXPECT_LE(share, 1 + 1e-6) << ratio.name << ", seed " << seed;
      ratio.sum += share / kCases;
      ratio.worst = std::min(ratio.worst, share);
    }
  }
  for (const Ratio& ratio : ratios) {
    RecordProperty(std::string(ratio.name) + "_mean", std::to_string(ratio.sum));
    RecordProperty(std::string(ratio.name) + "_worst", std::to_string(ratio.worst));
    std::cout << ratio.name << ": of the optimum " << ratio.sum << ", worst " << ratio.worst
              << "\n";
  }
  std::cout << "bound by optimum, mean: " << tightness << ", least: " << least << "\n";
  EXPECT_GT(ratios[1].sum, ratios[0].sum) << "godwit is better than pdors";
  EXPECT_GT(ratios[1].sum, 0.95);
  EXPECT_GT(ratios[1].worst, 0.5);
}

TEST(Certificate, PdorsKeepsItsCompetitiveRatioWithTheoryPrices) {
  double worst = 1;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Instance instance = small_instance(seed + 100, 2, 4, 3);
    const PriceSettings theory{.lowest = PriceSettings::Lowest::kTheory};
    const PriceRule rule = make_price_rule(instance.jobs, instance.cluster, instance.slots, theory);
    const double optimum = OfflineOptimum(instance).solve();
    const double got = utility_of(instance, "pdors", {.prices = theory});
    EXPECT_GE(got * 2 * rule.log_ratio_max(2), optimum * (1 - 1e-6)) << "seed " << seed;
    worst = std::min(worst, got / optimum);
  }
  std::cout << "worst of the optimum with theory's prices: " << worst << "\n";
}

// Dual of all prices and payoffs so far, before and after each admission.
TEST(Dual, RisesByNoMoreThanTheLogRatioTimesTheUtilityOfAnAdmission) {
  Instance instance = small_instance(9, 2, 6, 30);
  for (Machine& machine : instance.cluster.machines) {
    for (double& amount : machine.capacity) amount *= 400;  // demands are below 1/50 of it
  }
  Calendar calendar(instance.cluster, instance.slots);
  const PriceRule rule = make_price_rule(instance.jobs, instance.cluster, instance.slots, {});
  calendar.set_prices(rule);
  Planner planner(calendar, {});
  int admitted = 0;
  double steepest = 0;
  for (const Job& job : instance.jobs) {
    const Schedule schedule = planner.best(
        {.job = &job, .work = job.work, .first = job.arrival, .last = instance.slots - 1});
    if (!schedule.found || schedule.payoff() <= 0) continue;
    const double before = calendar.worth_of_all();
    reserve(calendar, job, schedule);
    const double rise = schedule.payoff() + calendar.worth_of_all() - before;
    EXPECT_LE(rise, rule.log_ratio_max(2) * schedule.utility * 1.05);
    steepest = std::max(steepest, rise / (rule.log_ratio_max(2) * schedule.utility));
    ++admitted;
  }
  std::cout << admitted << " admitted, steepest rise by its bound: " << steepest << "\n";
  EXPECT_GT(admitted, 15);
}

TEST(Dual, IsAtTheEndNoLessThanTheOptimum) {
  double least = 1e9;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance = small_instance(seed, 2, 4, 4);
    Calendar calendar(instance.cluster, instance.slots);
    calendar.set_prices(make_price_rule(instance.jobs, instance.cluster, instance.slots,
                                        {.lowest = PriceSettings::Lowest::kTheory}));
    Planner planner(calendar, {});
    double payoffs = 0;
    for (const Job& job : instance.jobs) {
      const Schedule schedule = planner.best(
          {.job = &job, .work = job.work, .first = job.arrival, .last = instance.slots - 1});
      if (!schedule.found || schedule.payoff() <= 0) continue;
      payoffs += schedule.payoff();
      reserve(calendar, job, schedule);
    }
    const double optimum = OfflineOptimum(instance).solve();
    const double dual = payoffs + calendar.worth_of_all();
    EXPECT_GE(dual, optimum * (1 - 1e-6)) << "seed " << seed;
    least = std::min(least, dual / optimum);
  }
  std::cout << "dual by optimum, least: " << least << "\n";
}

}  // namespace
}  // namespace godwit
