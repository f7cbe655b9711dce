// base/time_source_test.cc: both clocks.
#include "base/time_source.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace godwit {
namespace {

using namespace std::chrono_literals;

TEST(RealTime, GoesForwardWithTheSteadyClock) {
  const RealTime time;
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const Time now = time.now();
  const auto after = std::chrono::steady_clock::now().time_since_epoch();
  EXPECT_LE(before, now.time_since_epoch());
  EXPECT_LE(now.time_since_epoch(), after);
}

TEST(ManualTime, MovesOnlyByHand) {
  ManualTime time(Time(5s));
  EXPECT_EQ(time.now(), Time(5s));
  time.advance(10ms);
  EXPECT_EQ(time.now(), Time(5s + 10ms));
}

TEST(ManualTime, AdvancesOfManyThreadsAddUp) {
  ManualTime time;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) time.advance(1ns);
    });
  }
  threads.clear();
  EXPECT_EQ(time.now(), Time(4000ns));
}

TEST(ManualTimeDeathTest, NeverGoesBack) {
  ManualTime time;
  EXPECT_DEATH(time.advance(-1ns), "by >= Duration::zero\\(\\) \\(-1 ns vs 0 ns\\)");
}

}  // namespace
}  // namespace godwit
