// sched/price_rule.cc: the paper's constants U, L and mu, and a lowest price that works.
#include "sched/price_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/errors.h"
#include "base/parse_number.h"

namespace godwit {
namespace {

// Shares of the best utility below which a job says nothing about prices.
constexpr double kWorthless = 1e-3;
// kAuto: the quantile of what a unit of resources is worth. On made-up and on logged jobs the best
// value lay between the quantiles 0.25 and 0.6.
constexpr double kLowQuantile = 0.3;
constexpr double kTiniest = 1e-300;

double sum(const Resources& amounts) {
  return std::accumulate(amounts.begin(), amounts.end(), 0.0);
}

// N: slots of a worker, if not all are on one machine.
double worker_slots(const Job& job) {
  return std::ceil(job.work / job.speed.most_a_worker(false) - 1e-9);
}

double best_utility(const Job& job) {
  return job.utility.at(std::ceil(job.work / job.speed.fastest(true) - 1e-9) - 1);
}

Resources highest_prices(std::span<const Job> jobs) {
  Resources highest{};
  for (const Job& job : jobs) {
    const double utility = best_utility(job);
    for (std::size_t r = 0; r < kResourcesMax; ++r) {
      for (const double demand : {job.worker[r], job.server[r]}) {
        if (demand > 0) highest[r] = std::max(highest[r], utility / demand);
      }
    }
  }
  return highest;
}

double lowest_by_theory(std::span<const Job> jobs, const Cluster& cluster, int slots) {
  double mu = 0;
  const double everything = slots * sum(cluster.total());
  const auto needs = [](const Job& job) {
    return worker_slots(job) * (sum(job.worker) + sum(job.server));
  };
  for (const Job& job : jobs) mu = std::max(mu, everything / needs(job));
  double lowest = std::numeric_limits<double>::infinity();
  for (const Job& job : jobs) {
    lowest = std::min(lowest, job.utility.at(slots - job.arrival) / (2 * mu * needs(job)));
  }
  return lowest;
}

double lowest_by_history(std::span<const Job> jobs) {
  std::vector<double> worths;
  for (const Job& job : jobs) {
    const double worth = worth_a_unit(job);
    if (worth > 0) worths.push_back(worth);
  }
  if (worths.empty()) return 1e-6;
  std::ranges::sort(worths);
  return worths[static_cast<std::size_t>(kLowQuantile * static_cast<double>(worths.size() - 1))];
}

}  // namespace

double worth_a_unit(const Job& job) {
  const int workers = std::max(1, job.workers_wanted);
  const double slots = std::ceil(job.slots_for(job.work, workers, false) - 1e-9);
  const double utility = job.utility.at(slots - 1);
  if (!(utility > kWorthless * job.utility.priority)) return 0;
  return utility / (slots * sum(job.demand(workers)));
}

double PriceRule::log_ratio_max(std::size_t resources) const {
  double most = 1;
  for (std::size_t r = 0; r < resources; ++r) {
    most = std::max(most, log_ratio(r));
  }
  return most;
}

double PriceRule::log_ratio(std::size_t resource) const {
  return highest[resource] > lowest ? std::log(highest[resource] / lowest) : 0;
}

double PriceRule::at(std::size_t resource, double taken_share) const {
  if (highest[resource] <= 0) return 0;
  return lowest * std::exp(log_ratio(resource) * std::clamp(taken_share, 0.0, 1.0));
}

Result<PriceSettings> parse_price_settings(std::string_view text) {
  if (text == "auto") return PriceSettings{};
  if (text == "theory") return PriceSettings{.lowest = PriceSettings::Lowest::kTheory};
  const auto value = parse_number<double>(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    return invalid_argument("price.L is '{}', but must be auto, theory or a positive number", text);
  }
  return PriceSettings{.lowest = PriceSettings::Lowest::kValue, .value = *value};
}

PriceRule make_price_rule(std::span<const Job> jobs, const Cluster& cluster, int slots,
                          const PriceSettings& settings) {
  GODWIT_CHECK(!jobs.empty() && slots >= 1);
  PriceRule rule;
  rule.highest = highest_prices(jobs);
  switch (settings.lowest) {
    case PriceSettings::Lowest::kValue:
      rule.lowest = settings.value;
      break;
    case PriceSettings::Lowest::kTheory:
      rule.lowest = lowest_by_theory(jobs, cluster, slots);
      break;
    case PriceSettings::Lowest::kAuto:
      rule.lowest = lowest_by_history(jobs);
      break;
  }
  rule.lowest = std::max(rule.lowest, kTiniest);
  return rule;
}

}  // namespace godwit
