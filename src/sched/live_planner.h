// sched/live_planner.h: drives a policy by what is really there. Slots are counted from the
// scheduler's first day, the policy's calendar is a window of them that moves on: nothing in it
// needs to survive, because all can be planned anew from jobs and their progress. Owned by one
// thread; pure: time is given.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "sched/job_book.h"
#include "sched/live_file.h"
#include "sched/policies.h"
#include "sched/policy.h"

namespace godwit {

struct LivePlan {
  Wishes wishes;
  std::vector<std::int64_t> order;    // who is started first
  std::vector<std::int64_t> refused;  // by the policy, for good
};

class LivePlanner {
 public:
  // kInvalidArgument if there is no such policy. REQUIRES: `cluster` outlives it.
  static Result<LivePlanner> make(const LiveCluster& cluster, const std::string& policy);

  // What is to run now, `now` slots after the first day. Jobs of the book that came, went or got
  // further since the last call, and machines that went or came back (`is_up`, by machine), are
  // told to the policy first.
  LivePlan plan(const JobBook& book, const std::vector<char>& is_up, double now);

  // What follows is about the last plan(), for people. Null if there is no plan for the job.
  const Schedule* schedule_of(std::int64_t id) const;
  // Nothing before the first plan(). Its slot 0 is slot origin().
  const ClusterView* view() const { return view_ ? &*view_ : nullptr; }
  std::int64_t origin() const { return origin_; }
  // The model of a job as the policy knows it: with measured speed. Null if it is not active.
  const Job* model_of(std::int64_t id) const;
  // How many times as fast as its file says it trains; 1 if that was not measured.
  double speed_factor(std::int64_t id) const;
  const std::string& policy() const { return policy_name_; }

 private:
  struct Known {
    Job job;            // with arrival as the view counts, and measured speed
    JobShares planned;  // as the policy said it, servers included
    JobShares ran;      // where it was when `marked` was noted
    std::optional<std::pair<double, double>> marked;  // time in slots, samples done
    double factor = 1;
    std::int64_t life = 0;  // the last that was seen, and since when
    double began = 0;
  };

  LivePlanner(const LiveCluster& cluster, std::string policy)
      : cluster_(&cluster), policy_name_(std::move(policy)) {}
  void begin_window(const JobBook& book, std::int64_t slot);
  Verdict open(Known known, const LiveJob& job);
  void take_arrivals(const JobBook& book, LivePlan& plan);
  void take_ends(const JobBook& book);
  void take_machines(const std::vector<char>& is_up);
  void fill_forgotten(const JobBook& book, const std::vector<char>& is_up, LivePlan& plan) const;
  void settle(const JobBook& book, const std::vector<char>& is_up, double now, LivePlan& plan);
  void take_progress(const JobBook& book, double now);
  void measure(Known& known, const LiveJob& job, double now);

  const LiveCluster* cluster_;
  std::string policy_name_;
  std::int64_t origin_ = 0;
  std::size_t priced_ = 0;  // jobs that the prices were made from
  std::unique_ptr<Policy> policy_;
  std::optional<ClusterView> view_;
  std::vector<Job> history_;                  // the last jobs, for prices
  std::map<std::int64_t, JobIndex> indices_;  // of jobs in the view
  std::map<JobIndex, std::int64_t> ids_;
  std::deque<Known> known_;  // by index; addresses stay
  std::int64_t last_id_ = 0;
};

// Without servers, which have no machine of their own here.
JobShares workers_only(const JobShares& placement);

}  // namespace godwit
