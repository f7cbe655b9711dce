// sched/policies.cc: the names, and what is made of them.
#include "sched/policies.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "sched/fifo_policy.h"
#include "sched/pdors_policy.h"
#include "sched/preemptive_policy.h"
#include "sched/sharing_policy.h"

namespace godwit {

std::vector<PolicyName> policy_names() {
  return {{"fifo", "first come, first served, with the workers a job wants"},
          {"easy-backfill", "the same; who does not delay the first may overtake"},
          {"srtf", "shortest remaining time first, preemptive"},
          {"tiresias-2dlas", "least attained service first, in queues, preemptive"},
          {"drf", "dominant resource fairness, elastic"},
          {"optimus", "workers where they shorten the time left most, elastic"},
          {"dorm-lite", "utilisation by a linear program, near fair shares, elastic"},
          {"oasis", "PD-ORS that does not know of locality"},
          {"pdors", "PD-ORS of the paper"},
          {"godwit", "PD-ORS with schedules that follow events, and nothing idle"},
          {"godwit-reserve", "godwit without filling what is idle"},
          {"godwit-keep", "godwit that keeps schedules until they fall short"}};
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicySettings& settings,
                                            const Instance& instance) {
  const auto prices = [&](const PriceSettings& which) {
    return make_price_rule(instance.jobs, instance.cluster, instance.slots, which);
  };
  std::unique_ptr<Policy> policy;
  if (name == "fifo" || name == "easy-backfill") {
    policy = std::make_unique<FifoPolicy>(name == "easy-backfill");
  } else if (name == "srtf") {
    policy = std::make_unique<PreemptivePolicy>(PreemptivePolicy::Order::kShortestLeft);
  } else if (name == "tiresias-2dlas") {
    policy = std::make_unique<PreemptivePolicy>(PreemptivePolicy::Order::kLeastAttained);
  } else if (name == "drf") {
    policy = std::make_unique<DrfPolicy>();
  } else if (name == "optimus") {
    policy = std::make_unique<OptimusPolicy>();
  } else if (name == "dorm-lite") {
    policy = std::make_unique<DormPolicy>();
  } else if (name == "pdors" || name == "oasis") {
    PlannerOptions planner = settings.planner;
    planner.internal = name == "pdors";
    policy = std::make_unique<PdorsPolicy>(planner, prices(settings.prices));
  } else if (name == "godwit" || name == "godwit-reserve" || name == "godwit-keep") {
    GodwitOptions options = settings.godwit;
    options.planner = settings.planner;
    if (name == "godwit-reserve") options.best_effort = false;
    if (name == "godwit-keep") options.replans = false;
    policy = std::make_unique<GodwitPolicy>(options, prices(settings.prices));
  } else {
    std::vector<std::string> known;
    for (const PolicyName& one : policy_names()) known.emplace_back(one.name);
    return invalid_argument("there is no policy '{}'{}; there are {}", name,
                            did_you_mean(name, known), fmt::join(known, ", "));
  }
  return policy;
}

}  // namespace godwit
