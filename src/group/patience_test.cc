// group/patience_test.cc: what waiting costs, and when it ends.
#include "group/patience.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <utility>

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// How often this thread went to sleep. Giving the processor away is not counted.
long naps() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST(Patience, ALongWaitTakesLittleProcessorAndEndsAtItsDeadline) {
  const RealTime time;
  const Time begin = time.now();
  const double before = processor_seconds();
  Patience patience(time, begin + milliseconds(1000), false);
  while (patience.goes_on()) {
  }
  EXPECT_LT(processor_seconds() - before, 0.25);
  EXPECT_GE(time.now() - begin, milliseconds(1000));
  EXPECT_LT(time.now() - begin, seconds(10));
}

TEST(Patience, AShortWaitNeverNaps) {
  const ManualTime time;
  Patience patience(time, Time{} + seconds(1), true);
  const long before = naps();
  for (int looks = 0; looks < 200; ++looks) ASSERT_TRUE(patience.goes_on());
  EXPECT_LT(naps() - before, 20);
}

TEST(Patience, RoundsComeOftenEnoughAlsoWithNaps) {
  ManualTime time;
  Patience patience(time, Time{} + seconds(1), true);
  const auto rounds_of = [&](int looks) {
    int rounds = 0;
    int long_rounds = 0;
    for (int i = 0; i < looks; ++i) {
      EXPECT_TRUE(patience.goes_on());
      rounds += patience.is_round() ? 1 : 0;
      long_rounds += patience.is_long_round() ? 1 : 0;
    }
    return std::pair(rounds, long_rounds);
  };
  EXPECT_EQ(rounds_of(2048), std::pair(64, 2));
  time.advance(Patience::kAwake);
  EXPECT_TRUE(rounds_of(16).first > 0);  // it has looked at the clock
  const long before = naps();
  EXPECT_EQ(rounds_of(64), std::pair(64, 4));
  EXPECT_GT(naps() - before, 32);
}

TEST(Patience, ADeadlineAmidNapsIsSeenAtTheNextLook) {
  ManualTime time;
  Patience patience(time, Time{} + seconds(1), true);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(patience.goes_on());
  time.advance(milliseconds(900));
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(patience.goes_on());
  time.advance(milliseconds(100));
  EXPECT_FALSE(patience.goes_on());
}

}  // namespace
}  // namespace godwit
