// sched/godwit_policy_test.cc: who goes first, and what that means for all.
#include "sched/godwit_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/time_source.h"
#include "sched/policies.h"
#include "sched/sched_fixture.h"
#include "sched/sim_metrics.h"
#include "sched/simulator.h"

namespace godwit {
namespace {

Job with_utility(double slots, const Utility& utility) {
  Job job = small_job(slots, 1, 1, 1, 1);
  job.utility = utility;
  return job;
}

TEST(GodwitRank, AShortLateJobGoesBeforeALongOneInNoHurryAndAfterAShortOneInTime) {
  const Cluster cluster = small_cluster(1, 4, 16);
  ClusterView view(cluster, 1000, 0);
  const Utility deadline{.kind = Utility::Kind::kDeadline, .priority = 10, .target = 2};
  std::vector<Job> jobs{with_utility(1, {.kind = Utility::Kind::kConstant, .priority = 10}),
                        with_utility(5, deadline), with_utility(200, {.priority = 10})};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].index = static_cast<JobIndex>(i);
    view.add(jobs[i]);
  }
  const double ending = worth_of_ending(view);
  EXPECT_DOUBLE_EQ(ending, kEndingShare * 10);
  const auto rank = [&](JobIndex job) { return rank_job(view.state(job), view, ending); };
  EXPECT_EQ(rank(1).utility, 0);
  EXPECT_GT(rank(0).worth, rank(1).worth);
  EXPECT_GT(rank(1).worth, rank(2).worth);
}

TEST(GodwitRank, OfLateJobsTheShortestGoesFirstWhateverItsPriority) {
  const Cluster cluster = small_cluster(1, 4, 16);
  ClusterView view(cluster, 100, 0);
  const auto late = [](double slots, double priority) {
    return with_utility(slots,
                        {.kind = Utility::Kind::kDeadline, .priority = priority, .target = 1});
  };
  std::vector<Job> jobs{late(5, 1), late(9, 100)};
  jobs[1].index = 1;
  for (const Job& job : jobs) view.add(job);
  const double ending = worth_of_ending(view);
  EXPECT_GT(rank_job(view.state(0), view, ending).worth,
            rank_job(view.state(1), view, ending).worth);
}

TEST(Godwit, AJobThatSaysThatAllIsDoneAndStillRunsKeepsItsPlace) {
  Instance instance;
  instance.cluster = small_cluster(1, 4, 16);
  instance.slots = 100;
  instance.jobs.push_back(with_utility(20, {.priority = 10}));
  settle_jobs(instance).value();
  const auto policy = make_policy("godwit", {}, instance).value();
  ClusterView view(instance.cluster, instance.slots, 0);
  view.add(instance.jobs[0]);
  ASSERT_EQ(policy->on_arrival(instance.jobs[0], view), Verdict::kAdmitted);
  for (int now = 0; now < 3; ++now) {
    view.set_now(now);
    SlotPlan placed;
    policy->on_slot(view, placed);
    ASSERT_EQ(placed.size(), 1U) << now;
    view.mutable_state(0).placement = placed[0].placement;
    view.mutable_state(0).done = instance.jobs[0].work;
    const Schedule* schedule = policy->schedule_of(0);
    ASSERT_NE(schedule, nullptr);
    ASSERT_FALSE(schedule->spans.empty()) << now;
    EXPECT_TRUE(now == 0 || schedule->completion == now) << schedule->completion;
  }
}

// Many more jobs than have schedules at a time, most of about a slot and some of many; a third is
// in no hurry, the others have twice their time.
Instance busy_cluster(std::uint64_t seed) {
  Prng prng(mix64(seed, 5));
  Instance instance;
  instance.cluster = small_cluster(8, 8, 64);
  const int arrivals = 60;
  double work = 0;
  while (work < 1.5 * 64 * arrivals) {
    const bool is_long = prng.uniform() < 0.1;
    const double slots = is_long ? 5 + 45 * prng.uniform() : 0.5 + 1.5 * prng.uniform();
    work += slots;
    Job job = small_job(slots, 4, 4, 1, 1);
    job.workers_wanted = 1;
    job.arrived = arrivals * prng.uniform();
    job.arrival = static_cast<int>(std::ceil(job.arrived));
    const bool waits = prng.uniform() < 0.33;
    job.utility = {.kind = waits ? Utility::Kind::kConstant : Utility::Kind::kDeadline,
                   .priority = waits ? 5.0 : 10.0,
                   .target = std::max(1.0, 2 * slots - 1)};
    instance.jobs.push_back(job);
  }
  std::ranges::stable_sort(instance.jobs, {}, &Job::arrived);
  for (std::size_t i = 0; i < instance.jobs.size(); ++i) {
    instance.jobs[i].name = "j" + std::to_string(i);
  }
  instance.slots = 400;
  settle_jobs(instance).value();
  return instance;
}

TEST(Godwit, HasTheHighestUtilityAndNoLongerMeanCompletionThanWhoAimsAtIt) {
  const ManualTime time;
  const auto of = [&](const char* policy, double SimMetrics::*field) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Instance instance = busy_cluster(seed);
      const auto made = make_policy(policy, {}, instance).value();
      sum += metrics_of(instance, simulate(instance, *made, {.seed = seed}, time)).*field / 3;
    }
    return sum;
  };
  const double utility = of("godwit", &SimMetrics::utility);
  const double mean = of("godwit", &SimMetrics::jct_mean);
  for (const char* rival : {"srtf", "drf", "optimus", "tiresias-2dlas"}) {
    EXPECT_GE(utility, of(rival, &SimMetrics::utility)) << rival;
    EXPECT_LE(mean, of(rival, &SimMetrics::jct_mean)) << rival;
  }
}

}  // namespace
}  // namespace godwit
