// sched/price_rule.h: what a unit of a resource costs by how much of it is taken. Values; pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/job.h"
#include "sched/resources.h"

namespace godwit {

// p = L (U / L)^(taken / capacity): L when empty, U when full, so that no job can pay for more.
struct PriceRule {
  double lowest = 1;    // L
  Resources highest{};  // U, by resource; 0 where no job needs any

  // ln(U / L); 0 where nothing can be dearer than L.
  double log_ratio(std::size_t resource) const;
  // The highest of them, and at least 1: the paper's competitive ratio is twice that.
  double log_ratio_max(std::size_t resources) const;

  // REQUIRES: 0 <= taken_share <= 1, give or take rounding.
  double at(std::size_t resource, double taken_share) const;
};

struct PriceSettings {
  enum class Lowest { kAuto, kTheory, kValue };
  Lowest lowest = Lowest::kAuto;
  double value = 0;  // with kValue
};

// "auto", "theory" or a positive number.
Result<PriceSettings> parse_price_settings(std::string_view text);

// From the jobs that were, or are expected. kTheory: the paper's bound, which one job with hardly
// any utility at the horizon drives to nothing. kAuto: of what jobs are worth for a unit of
// resources, a low quantile. REQUIRES: some job; slots >= 1.
PriceRule make_price_rule(std::span<const Job> jobs, const Cluster& cluster, int slots,
                          const PriceSettings& settings);

// What a job is worth for each unit of resources and slot, if it runs with the workers it wants
// and at once.
double worth_a_unit(const Job& job);

}  // namespace godwit
