// sched/preemptive_policy.h: in each slot the jobs run that come first in some order, with the
// workers they want; the others wait.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/policy.h"

namespace godwit {

class PreemptivePolicy final : public Policy {
 public:
  enum class Order : std::uint8_t {
    kShortestLeft,   // SRTF: least time left
    kLeastAttained,  // Tiresias' 2D-LAS: queues by what a job has used, then by arrival
  };
  explicit PreemptivePolicy(Order order) : order_(order) {}

  Verdict on_arrival(const Job& job, ClusterView& view) override;
  void on_slot(ClusterView& view, SlotPlan& out) override;

 private:
  double key(const JobState& state, const ClusterView& view) const;

  Order order_;
};

}  // namespace godwit
