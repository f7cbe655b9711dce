// sched/settle_wishes_test.cc: who moves, and who does not.
#include "sched/settle_wishes.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

// One worker takes one cpu and trains 100 samples a slot.
Job a_job() {
  Job job;
  job.worker = {1};
  job.workers_max = 8;
  job.speed = SpeedCurve::paper({.sample_slots = 0.01, .model_bytes = 1e-3}, 8);
  return job;
}

SlotRoom two_machines() {
  return SlotRoom({Resources{4}, Resources{4}});
}

TEST(SettleWishes, AMoveThatBringsLittleIsNotMade) {
  const Job job = a_job();
  for (const double left : {100.0, 10'000.0}) {
    Wishes wishes{{1, {{0, 4, 0}}}};
    settle_wishes({{1, {.model = &job, .placement = {{0, 2, 0}}, .left = left}}}, {}, {1}, 0.3,
                  two_machines(), wishes);
    EXPECT_EQ(workers_of(wishes[1]), left > 1000 ? 4 : 2) << left;
  }
}

TEST(SettleWishes, NobodyMovesToAnEquallyGoodPlace) {
  const Job job = a_job();
  Wishes wishes{{1, {{1, 2, 0}}}};
  settle_wishes({{1, {.model = &job, .placement = {{0, 2, 0}}, .left = 1e6}}}, {}, {1}, 0,
                two_machines(), wishes);
  EXPECT_EQ(wishes[1], (JobShares{{0, 2, 0}}));
}

TEST(SettleWishes, WhoeverIsPlannedInItsPlaceGetsIt) {
  const Job job = a_job();
  Wishes wishes{{1, {{0, 1, 0}}}, {2, {{0, 3, 0}}}};
  settle_wishes({{1, {.model = &job, .placement = {{0, 4, 0}}, .left = 1e6}}}, {{2, &job}}, {2, 1},
                0.3, two_machines(), wishes);
  EXPECT_EQ(workers_of(wishes[1]), 1);
  EXPECT_EQ(workers_of(wishes[2]), 3);
}

TEST(SettleWishes, WithoutAWishItStaysUnlessItsPlaceIsWanted) {
  const Job job = a_job();
  const std::map<std::int64_t, HeldJob> held{
      {1, {.model = &job, .placement = {{0, 4, 0}}, .left = 1e6}}};
  Wishes none;
  settle_wishes(held, {}, {}, 0.3, two_machines(), none);
  EXPECT_EQ(workers_of(none[1]), 4);
  Wishes other{{2, {{0, 4, 0}}}};
  settle_wishes(held, {{2, &job}}, {2}, 0.3, two_machines(), other);
  EXPECT_FALSE(other.contains(1));
}

TEST(SettleWishes, WhoMayNotMoveStaysAndOthersGiveWay) {
  const Job job = a_job();
  Wishes wishes{{1, {{1, 4, 0}}}, {2, {{0, 4, 0}}}, {3, {{0, 1, 0}}}};
  settle_wishes({{1, {.model = &job, .placement = {{0, 4, 0}}, .left = 1e6, .may_move = false}},
                 {2, {.model = &job, .placement = {{1, 2, 0}}, .left = 1e6}}},
                {{3, &job}}, {1, 2, 3}, 0.3, two_machines(), wishes);
  EXPECT_EQ(wishes[1], (JobShares{{0, 4, 0}}));
  EXPECT_EQ(wishes[2], (JobShares{{1, 2, 0}})) << "its wish is taken, its place is not";
  EXPECT_FALSE(wishes.contains(3));
}

TEST(SettleWishes, AMachineThatIsAwayIsLeft) {
  const Job job = a_job();
  Wishes wishes{{1, {{1, 2, 0}}}};
  settle_wishes({{1,
                  {.model = &job,
                   .placement = {{0, 4, 0}},
                   .left = 10,
                   .may_move = false,
                   .must_move = true}}},
                {}, {1}, 0.5, SlotRoom({Resources{}, Resources{4}}), wishes);
  EXPECT_EQ(wishes[1], (JobShares{{1, 2, 0}}));
}

}  // namespace
}  // namespace godwit
