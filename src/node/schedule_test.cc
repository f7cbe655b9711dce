// node/schedule_test.cc: which leases are due, and which have ended.
#include "node/schedule.h"

#include <gtest/gtest.h>

#include <chrono>

namespace godwit {
namespace {

LeaseSchedule::LeasePtr lease(std::int64_t first, std::int64_t last, std::size_t keys = 1) {
  auto made = std::make_shared<LeaseState>();
  made->first = Tick{first};
  made->last = Tick{last};
  made->rows.keys.resize(keys);
  return made;
}

std::vector<std::int64_t> firsts(const std::vector<LeaseSchedule::LeasePtr>& leases) {
  std::vector<std::int64_t> ticks;
  for (const auto& some : leases) ticks.push_back(some->first.value());
  return ticks;
}

TEST(LeaseSchedule, WhatIsFarAheadWaits) {
  LeaseSchedule schedule;
  EXPECT_TRUE(schedule.is_due(Tick{2})) << "the horizon before anything is measured";
  EXPECT_FALSE(schedule.is_due(Tick{3}));
  for (const std::int64_t first : {50, 3, 40}) schedule.queue(lease(first, first + 1));
  EXPECT_TRUE(schedule.take_due().empty());
  schedule.advance(Tick{1}, Time{} + std::chrono::milliseconds(1));
  EXPECT_EQ(firsts(schedule.take_due()), (std::vector<std::int64_t>{3}));
  schedule.advance(Tick{100}, Time{} + std::chrono::milliseconds(2));
  EXPECT_EQ(firsts(schedule.take_due()), (std::vector<std::int64_t>{40, 50}));
}

TEST(LeaseSchedule, ALeaseThatIsOpenedInEveryTickIsNotedOnce) {
  LeaseSchedule schedule;
  const auto kept = lease(0, 100);
  const auto of_one_tick = lease(0, 1);
  const auto read = lease(0, 100);
  read->rows.is_write = false;
  for (std::int64_t tick = 0; tick < 50; ++tick) {
    for (const auto& some : {kept, of_one_tick, read}) schedule.note_opened(some, Tick{tick});
  }
  EXPECT_EQ(schedule.opened, std::vector<LeaseSchedule::LeasePtr>{kept});
}

TEST(LeaseSchedule, ALeaseOfABspTableThatIsOpenedInEveryTickIsNotedOnce) {
  LeaseSchedule schedule;
  const auto kept = lease(0, 100);
  for (int tick = 0; tick < 50; ++tick) schedule.note_viewed(kept);
  EXPECT_EQ(schedule.viewed.size(), 1U);
}

TEST(LeaseQueue, TheEarliestIsFirstAndOfOneTickTheOneThatCameFirst) {
  LeaseQueue queue;
  std::vector<LeaseSchedule::LeasePtr> leases;
  for (const std::int64_t first : {5, 3, 5, 1, 3, 5}) {
    leases.push_back(lease(first, first + 1));
    queue.push(Tick{first}, leases.back());
  }
  queue.erase_if([&](const LeaseState& some) { return &some == leases[2].get(); });
  for (const std::size_t next : {3U, 1U, 4U, 0U, 5U}) {
    EXPECT_EQ(queue.next(), leases[next]->first);
    EXPECT_EQ(queue.pop(), leases[next]);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(LeaseSchedule, SmallOnesThatAreDueSoonGoWithTheFirst) {
  LeaseSchedule schedule;
  for (std::int64_t first = 2; first < 9; ++first) schedule.queue(lease(first, first + 1));
  EXPECT_EQ(firsts(schedule.take_due()), (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
  LeaseSchedule large;
  for (std::int64_t first = 1; first < 9; ++first) large.queue(lease(first, first + 1, 300));
  EXPECT_EQ(firsts(large.take_due()), (std::vector<std::int64_t>{1, 2}));
}

TEST(LeaseSchedule, LeasesEndWithTheirLastTickOrWhenTheyAreClosed) {
  LeaseSchedule schedule;
  const auto lasting = lease(0, 5);
  const auto closed = lease(0, 9);
  for (const auto& some : {lasting, closed, lease(0, 9)}) {
    some->phase = LeaseState::Phase::kActive;
    schedule.activate(some);
  }
  schedule.advance(Tick{4}, Time{});
  EXPECT_TRUE(schedule.take_ended().empty());
  closed->phase = LeaseState::Phase::kEnded;
  schedule.note_ended();
  schedule.advance(Tick{5}, Time{});
  EXPECT_EQ(schedule.take_ended(), (std::vector{lasting}));
  EXPECT_EQ(schedule.take_all().size(), 2U);
}

TEST(LeaseSchedule, LeasesThatEndLongBeforeTheirLastTickAreForgotten) {
  LeaseSchedule schedule;
  for (int i = 0; i < 10'000; ++i) {
    const auto closed = lease(0, 1'000'000);
    closed->phase = LeaseState::Phase::kActive;
    schedule.activate(closed);
    closed->phase = LeaseState::Phase::kEnded;
    schedule.note_ended();
  }
  EXPECT_LE(schedule.active().size(), 64U);
}

}  // namespace
}  // namespace godwit
