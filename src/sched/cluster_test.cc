// sched/cluster_test.cc: machines from text, reservations, and where jobs fit.
#include "sched/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/calendar.h"
#include "sched/sched_fixture.h"
#include "sched/slot_room.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(Machines, ComeInKindsAndNumbers) {
  const Cluster cluster = parse_machines("2 x p8 + 3 x gpu=1,cpu=4,disk=7").value();
  EXPECT_EQ(cluster.machine_count(), 5U);
  EXPECT_EQ(cluster.machines[4].name, "m4");
  const auto disk = static_cast<std::size_t>(cluster.resource_number("disk"));
  EXPECT_EQ(cluster.machines[0].capacity[disk], 0);
  EXPECT_EQ(cluster.total()[disk], 21);
  EXPECT_EQ(parse_machines("7").value().machine_count(), 7U);
}

TEST(Machines, ThatMakeNoSenseAreRefusedByName) {
  EXPECT_THAT(parse_machines("2 x p9").error().message(), HasSubstr("did you mean"));
  for (const char* wrong : {"", "0", "x p8", "3 x", "2 x gpu=-1", "2 x gpu=much", "999999999"}) {
    EXPECT_FALSE(parse_machines(wrong).ok()) << wrong;
  }
}

TEST(Calendar, PricesFollowReservationsAndComeBack) {
  const Cluster cluster = small_cluster(2, 4, 8);
  Calendar calendar(cluster, 3);
  PriceRule rule;
  rule.lowest = 1;
  rule.highest = {16, 16};
  calendar.set_prices(rule);
  const Job job = small_job(4, 4, 2, 1, 2);
  const JobShares placement{{1, 2, 1}};
  calendar.reserve(2, job, placement);
  EXPECT_DOUBLE_EQ(calendar.price(2, 1)[0], 4);  // half taken: the root of 16
  EXPECT_DOUBLE_EQ(calendar.room(2, 1)[1], 5);
  EXPECT_DOUBLE_EQ(calendar.price(1, 1)[0], 1);
  calendar.release(2, job, placement);
  EXPECT_DOUBLE_EQ(calendar.price(2, 1)[0], 1);
  EXPECT_DOUBLE_EQ(calendar.worth_of_all(), 3 * 2 * (4 + 8));
}

TEST(SlotRoom, TakesTheTightestMachineAndElseAsFewAsItCan) {
  SlotRoom room({{4, 8}, {2, 8}, {3, 8}});
  const Job job = small_job(4, 8, 4, 1, 2);
  EXPECT_EQ(room.find(job, 2)[0].machine, 1U);
  EXPECT_EQ(room.find(job, 3)[0].machine, 2U);
  const JobShares several = room.find(job, 6);
  EXPECT_EQ(several.size(), 2U);
  EXPECT_EQ(workers_of(several), 6);
  EXPECT_EQ(servers_of(several), 2);
  EXPECT_TRUE(room.find(job, 10).empty());
  EXPECT_EQ(workers_of(room.find_most(job, 1, 20)), 9);
}

TEST(SlotRoom, KeepsAnOldPlacementThatFits) {
  SlotRoom room({{4, 8}, {2, 8}});
  const Job job = small_job(4, 8, 4, 1, 2);
  const JobShares old{{0, 2, 1}};
  EXPECT_EQ(room.place(job, 2, old), old);
  EXPECT_DOUBLE_EQ(room.room()[0][0], 2);
  EXPECT_NE(room.place(job, 3, {{0, 3, 1}}), (JobShares{{0, 3, 1}}));
}

}  // namespace
}  // namespace godwit
