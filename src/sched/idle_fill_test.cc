// sched/idle_fill_test.cc: who gets what is idle, and how much of it.
#include "sched/idle_fill.h"

#include <gtest/gtest.h>

#include "sched/sched_fixture.h"

namespace godwit {
namespace {

// A slot of `cluster` that is filled with jobs in the order in which they were added.
class Slot {
 public:
  Slot(std::size_t machines, double gpu, double restart = 0)
      : cluster_(small_cluster(machines, gpu, 64)), view_(cluster_, 100, restart) {
    jobs_.reserve(16);
  }

  // `slots` of one worker; up to `workers_max` of them, of which each on another machine takes
  // `spread` times as long.
  JobIndex add(double slots, int workers_max, double spread = 1) {
    Job job = small_job(slots, workers_max, workers_max, 1, spread);
    job.index = static_cast<JobIndex>(jobs_.size());
    job.workers_wanted = 1;
    jobs_.push_back(job);
    view_.add(jobs_.back());
    order_.push_back(job.index);
    return job.index;
  }
  void had(JobIndex job, const JobShares& placement) {
    view_.mutable_state(job).placement = placement;
  }
  SlotPlan fill() const {
    SlotPlan out;
    SlotRoom room(view_.empty_machines());
    fill_idle(view_, order_, room, out);
    return out;
  }

 private:
  Cluster cluster_;
  ClusterView view_;
  std::vector<Job> jobs_;
  std::vector<JobIndex> order_;
};

int workers_in(const SlotPlan& plan, JobIndex job) {
  for (const JobPlacement& placed : plan) {
    if (placed.job == job) return workers_of(placed.placement);
  }
  return 0;
}

TEST(IdleFill, AJobThatOneWorkerEndsInTheSlotLeavesTheRestToOthers) {
  Slot slot(1, 4);
  for (int i = 0; i < 4; ++i) slot.add(0.9, 4);
  const SlotPlan plan = slot.fill();
  ASSERT_EQ(plan.size(), 4U);
  for (const JobPlacement& placed : plan) EXPECT_EQ(workers_of(placed.placement), 1);
}

TEST(IdleFill, AJobThatMoreWorkersEndASlotEarlierHasThemBeforeOthersHaveAny) {
  Slot slot(1, 4);
  const JobIndex first = slot.add(3.5, 4);
  const JobIndex second = slot.add(3.5, 4);
  const SlotPlan plan = slot.fill();
  EXPECT_EQ(workers_in(plan, first), 4);
  EXPECT_EQ(workers_in(plan, second), 0);
}

TEST(IdleFill, JobsThatEndAnywayAreHastenedWithWhatLongerOnesLeave) {
  Slot slot(1, 8);
  const JobIndex ends = slot.add(0.9, 4);
  const JobIndex goes_on = slot.add(50, 5);
  const SlotPlan plan = slot.fill();
  EXPECT_EQ(workers_in(plan, goes_on), 5);
  EXPECT_EQ(workers_in(plan, ends), 3);
}

TEST(IdleFill, AJobIsSpreadHoweverLittleItBringsIfNobodyElseHasUseForTheMachines) {
  Slot alone(3, 2);
  const JobIndex only = alone.add(50, 6, 2.5);  // 6 / 2.5 > 2
  EXPECT_EQ(workers_in(alone.fill(), only), 6);

  Slot shared(3, 2);
  shared.add(50, 6, 2.5);
  const JobIndex second = shared.add(50, 6, 2.5);
  const JobIndex third = shared.add(50, 6, 2.5);
  const SlotPlan plan = shared.fill();
  EXPECT_EQ(workers_in(plan, second), 2);
  EXPECT_EQ(workers_in(plan, third), 2);
}

TEST(IdleFill, ARestartMustBePaidForBeforeAJobIsHastened) {
  for (const double restart : {0.1, 0.5}) {
    Slot slot(1, 2, restart);
    const JobIndex job = slot.add(0.8, 2);  // 0.8 slots, or 0.4 and the restart
    slot.had(job, {{0, 1, 1}});
    EXPECT_EQ(workers_in(slot.fill(), job), restart < 0.4 ? 2 : 1) << restart;
  }
}

}  // namespace
}  // namespace godwit
