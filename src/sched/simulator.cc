// sched/simulator.cc: failures, arrivals, the plan of the slot, and what it brings.
#include "sched/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"
#include "base/prng.h"

namespace godwit {
namespace {

class Simulation {
 public:
  Simulation(const Instance& instance, Policy& policy, const SimulationOptions& options,
             const TimeSource& time)
      : instance_(instance),
        policy_(policy),
        options_(options),
        time_(time),
        view_(instance.cluster, instance.slots, options.restart),
        failures_(mix64(options.seed, 1)),
        back_at_(instance.cluster.machine_count(), -1),
        speed_factor_(speed_factors(instance.jobs.size(), options)) {
    outcome_.jobs.resize(instance.jobs.size());
    active_count_sum_.assign(instance.jobs.size(), 0);
  }

  SimulationOutcome run() {
    double gained = 0;
    for (int t = 0; t < instance_.slots; ++t) {
      view_.set_now(t);
      fail_machines();
      take_arrivals();
      SlotPlan plan;
      const Time begin = time_.now();
      policy_.on_slot(view_, plan);
      outcome_.slot_ms.push_back(ms_since(begin));
      check(plan);
      gained += run_slot(plan);
      outcome_.utility.push_back(gained);
      if (options_.keep_plans) outcome_.plans.push_back(std::move(plan));
      outcome_.slots = t + 1;
      if (next_ == instance_.jobs.size() && waiting_ == 0) break;
    }
    settle();
    return std::move(outcome_);
  }

 private:
  double ms_since(Time begin) const {
    return std::chrono::duration<double, std::milli>(time_.now() - begin).count();
  }

  void fail_machines() {
    for (MachineIndex h = 0; h < back_at_.size(); ++h) {
      if (back_at_[h] == view_.now()) {
        view_.set_up(h, true);
        policy_.on_machine_up(h, view_);
      }
      if (options_.failures <= 0) continue;
      const bool fails = failures_.uniform() < options_.failures;
      if (!fails || !view_.is_up(h)) continue;
      view_.set_up(h, false);
      back_at_[h] = view_.now() + options_.repair_slots;
      ++outcome_.machine_failures;
      policy_.on_machine_down(h, view_);
    }
  }

  void take_arrivals() {
    for (; next_ < instance_.jobs.size() && instance_.jobs[next_].arrival <= view_.now(); ++next_) {
      const Job& job = instance_.jobs[next_];
      view_.add(job);
      const Time begin = time_.now();
      const Verdict verdict = policy_.on_arrival(job, view_);
      outcome_.decision_ms.push_back(ms_since(begin));
      outcome_.jobs[next_].verdict = verdict;
      if (verdict == Verdict::kRefused) {
        view_.finish(job.index);
      } else {
        ++waiting_;
      }
    }
  }

  void check(const SlotPlan& plan) const {
    std::vector<Resources> used(view_.cluster().machine_count());
    std::vector<char> seen(instance_.jobs.size(), 0);
    for (const auto& [index, placement] : plan) {
      GODWIT_CHECK(index < next_ && !view_.state(index).is_finished && !seen[index]);
      seen[index] = 1;
      const Job& job = instance_.jobs[index];
      const int workers = workers_of(placement);
      GODWIT_CHECK(workers >= job.workers_min() && workers <= job.workers_max);
      GODWIT_CHECK(servers_of(placement) >= job.servers_for(workers));
      for (const Share& share : placement) {
        GODWIT_CHECK(view_.is_up(share.machine) && share.workers >= 0 && share.servers >= 0);
        used[share.machine] = plus(used[share.machine], job.demand(share.workers, share.servers));
      }
    }
    for (MachineIndex h = 0; h < used.size(); ++h) {
      GODWIT_CHECK(fits(used[h], view_.cluster().machines[h].capacity));
    }
  }

  double run_slot(const SlotPlan& plan) {
    std::vector<char> runs(instance_.jobs.size(), 0);
    for (const JobPlacement& placed : plan) runs[placed.job] = 1;
    const auto active = static_cast<double>(view_.active().size());
    for (const JobIndex index : view_.active()) {
      active_count_sum_[index] += active;
      JobState& state = view_.mutable_state(index);
      if (!runs[index] && !state.placement.empty()) {
        ++outcome_.jobs[index].preemptions;
        state.placement.clear();
      }
    }
    Resources used{};
    double gained = 0;
    std::vector<JobIndex> finished;
    for (const auto& [index, placement] : plan) {
      if (advance(index, placement, used)) {
        gained += outcome_.jobs[index].utility;
        finished.push_back(index);
      }
    }
    outcome_.used.push_back(dominant_share(used, view_.total()));
    for (std::size_t r = 0; r < kResourcesMax; ++r) {
      used[r] = view_.total()[r] > 0 ? used[r] / view_.total()[r] : 0;
    }
    outcome_.used_each.push_back(used);
    for (const JobIndex index : finished) {
      view_.finish(index);
      --waiting_;
      policy_.on_finish(instance_.jobs[index], view_);
    }
    return gained;
  }

  // True if the job finished.
  bool advance(JobIndex index, const JobShares& placement, Resources& used) {
    const Job& job = instance_.jobs[index];
    JobState& state = view_.mutable_state(index);
    JobOutcome& outcome = outcome_.jobs[index];
    const bool restarts = state.placement != placement;
    if (restarts && !state.placement.empty()) ++outcome.reconfigurations;
    const int workers = workers_of(placement);
    const double speed = job.speed.samples(workers, is_internal(placement)) * speed_factor_[index];
    const double lost = restarts ? options_.restart : 0;
    const double needed = lost + state.left() / speed;
    const Resources demand = job.demand(workers, servers_of(placement));
    add_to(used, demand, std::min(1.0, needed));
    state.attained += dominant_share(demand, view_.total());
    state.done += std::max(0.0, 1 - lost) * speed;
    state.placement = placement;
    ++state.slots_run;
    if (state.first_run < 0) state.first_run = view_.now();
    if (is_internal(placement)) ++outcome.slots_internal;
    // Rounding must not cost a slot.
    if (needed > 1 + 1e-9) return false;
    outcome.is_finished = true;
    outcome.completion = view_.now();
    outcome.finished = view_.now() + std::min(1.0, needed);
    outcome.utility = job.utility.at(view_.now() - job.arrival);
    return true;
  }

  void settle() {
    for (std::size_t i = 0; i < instance_.jobs.size(); ++i) {
      const Job& job = instance_.jobs[i];
      JobOutcome& outcome = outcome_.jobs[i];
      if (i < next_) {
        const JobState& state = view_.state(job.index);
        outcome.first_run = state.first_run;
        outcome.slots_run = state.slots_run;
      }
      if (!outcome.is_finished) outcome.finished = instance_.slots;
      const double alive = std::max(1.0, outcome.finished - job.arrival);
      const double rivals = std::max(1.0, active_count_sum_[i] / std::max(1.0, std::ceil(alive)));
      Resources one = job.worker;
      add_to(one, job.server, 1.0 / job.workers_per_server);
      const double share = std::max(1e-12, dominant_share(one, view_.total()));
      const double workers = 1 / rivals / share;
      const double speed = workers < 1
                               ? workers * job.speed.samples(1, true)
                               : job.speed.samples(static_cast<int>(std::min(1e6, workers)), true);
      outcome.fairness = (outcome.finished - job.arrived) / std::max(job.work / speed, 1e-9);
    }
  }

  const Instance& instance_;
  Policy& policy_;
  const SimulationOptions options_;
  const TimeSource& time_;
  ClusterView view_;
  Prng failures_;
  std::vector<int> back_at_;          // by machine: the slot in which it is back
  std::vector<double> speed_factor_;  // by job
  std::vector<double> active_count_sum_;
  std::size_t next_ = 0;  // the first job that has not come
  std::size_t waiting_ = 0;
  SimulationOutcome outcome_;
};

}  // namespace

std::vector<double> speed_factors(std::size_t jobs, const SimulationOptions& options) {
  Prng errors(mix64(options.seed, 2));
  std::vector<double> factors;
  for (std::size_t i = 0; i < jobs; ++i) {
    factors.push_back(std::exp(options.estimate_error * errors.normal()));
  }
  return factors;
}

SimulationOutcome simulate(const Instance& instance, Policy& policy,
                           const SimulationOptions& options, const TimeSource& time) {
  return Simulation(instance, policy, options, time).run();
}

}  // namespace godwit
