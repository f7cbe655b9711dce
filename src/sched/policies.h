// sched/policies.h: policies by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "sched/godwit_policy.h"
#include "sched/instance.h"
#include "sched/planner.h"
#include "sched/policy.h"
#include "sched/price_rule.h"

namespace godwit {

struct PolicyName {
  std::string_view name;
  std::string_view text;
};
std::vector<PolicyName> policy_names();

struct PolicySettings {
  PlannerOptions planner;
  PriceSettings prices;
  GodwitOptions godwit;  // but its planner, which is the one above
};

// For one run on `instance`, whose jobs stand for the history that prices are made from.
// kInvalidArgument if there is no such policy, with the nearest name. REQUIRES: the instance has a
// job.
Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicySettings& settings,
                                            const Instance& instance);

}  // namespace godwit
