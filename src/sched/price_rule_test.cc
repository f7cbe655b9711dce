// sched/price_rule_test.cc: prices rise from L to U as the paper says, and L is usable.
#include "sched/price_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "sched/sched_fixture.h"

namespace godwit {
namespace {

PriceRule rule(double low, double high) {
  PriceRule rule;
  rule.lowest = low;
  rule.highest[0] = high;
  return rule;
}

TEST(PriceRule, IsLWhenEmptyAndUWhenFullAndRisesBetween) {
  const PriceRule prices = rule(0.01, 50);
  EXPECT_DOUBLE_EQ(prices.at(0, 0), 0.01);
  EXPECT_NEAR(prices.at(0, 1), 50, 1e-9);
  for (int i = 1; i <= 100; ++i) EXPECT_GT(prices.at(0, i / 100.0), prices.at(0, (i - 1) / 100.0));
}

TEST(PriceRule, PriceTimesCapacityByLogRatioDifferentiatesBackToThePrice) {
  const PriceRule prices = rule(0.01, 50);
  const double log_ratio = std::log(50 / 0.01);
  const double capacity = 8;
  double worst = 0;
  for (double taken = 0.5; taken < 7.5; taken += 0.5) {
    const double step = 1e-5;
    const auto value = [&](double x) { return prices.at(0, x / capacity) * capacity / log_ratio; };
    const double slope = (value(taken + step) - value(taken - step)) / (2 * step);
    EXPECT_NEAR(slope, prices.at(0, taken / capacity), 1e-6 * slope);
    worst = std::max(worst, std::abs(slope / prices.at(0, taken / capacity) - 1));
  }
  std::cout << "slope by price, furthest from 1: " << worst << "\n";
}

TEST(PriceRule, AFullMachineCostsMoreThanAnyJobIsWorth) {
  const Instance instance = small_instance(3, 2, 5, 6);
  const PriceRule prices = make_price_rule(instance.jobs, instance.cluster, instance.slots, {});
  for (const Job& job : instance.jobs) {
    const double fastest = std::ceil(job.work / job.speed.fastest(true) - 1e-9);
    for (std::size_t r = 0; r < 2; ++r) {
      if (job.worker[r] <= 0) continue;
      EXPECT_GE(prices.at(r, 1) * job.worker[r], job.utility.at(fastest - 1) * (1 - 1e-9));
    }
  }
}

TEST(PriceRule, TheoryHasItsFirstDualBelowHalfOfAnyUtilityAndCriticalJobsDriveItToNothing) {
  Instance instance = small_instance(5, 2, 6, 6);
  const auto lowest = [&] {
    return make_price_rule(instance.jobs, instance.cluster, instance.slots,
                           {.lowest = PriceSettings::Lowest::kTheory})
        .lowest;
  };
  double all = 0;
  for (const double amount : instance.cluster.total()) all += amount;
  double least = 1e300;
  for (const Job& job : instance.jobs) {
    least = std::min(least, job.utility.at(instance.slots - job.arrival));
  }
  EXPECT_LE(lowest() * instance.slots * all, least / 2 * (1 + 1e-9));
  instance.jobs[0].utility = {
      .kind = Utility::Kind::kSigmoid, .priority = 50, .urgency = 6, .target = 1};
  instance.jobs[0].arrival = 0;
  instance.slots = 20;
  EXPECT_LT(lowest(), 1e-30);
  const PriceRule usable = make_price_rule(instance.jobs, instance.cluster, instance.slots, {});
  EXPECT_GT(usable.lowest, 1e-6);
}

TEST(PriceSettings, AreAutoTheoryOrAPositiveNumber) {
  EXPECT_EQ(parse_price_settings("theory").value().lowest, PriceSettings::Lowest::kTheory);
  EXPECT_DOUBLE_EQ(parse_price_settings("0.5").value().value, 0.5);
  for (const char* wrong : {"", "-1", "0", "much", "nan"}) {
    EXPECT_FALSE(parse_price_settings(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace godwit
