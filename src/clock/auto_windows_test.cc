// clock/auto_windows_test.cc: windows end after many ticks and some time.
#include "clock/auto_windows.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

using std::chrono::milliseconds;

// Two workers, a tick each every `step`, in which both wait for `wait`. The tick of the first
// change, or -1.
std::int64_t first_change(AutoWindows& windows, Duration step, Duration wait, std::int64_t ticks) {
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    for (int worker = 0; worker < 2; ++worker) {
      windows.note_wait(wait);
      if (windows.note_tick(Tick{tick}, 2, Time{} + step * tick)) return tick;
    }
  }
  return -1;
}

TEST(AutoWindows, ChangeAfterManyTicks) {
  AutoWindows windows;
  EXPECT_EQ(first_change(windows, milliseconds(10), milliseconds(3), 1000), 39);
  EXPECT_EQ(windows.staleness(), 2);
  ASSERT_EQ(windows.changes().size(), 2U);
  EXPECT_EQ(windows.changes()[1].tick, Tick{39});
  EXPECT_EQ(windows.changes()[1].staleness, 2);
}

TEST(AutoWindows, ChangeAfterSomeTimeWhereTicksAreShort) {
  AutoWindows windows;
  EXPECT_EQ(first_change(windows, milliseconds(1), std::chrono::microseconds(300), 1000), 100);
}

TEST(AutoWindows, DoNotChangeWhereLittleIsWaited) {
  AutoWindows windows;
  EXPECT_EQ(first_change(windows, milliseconds(10), std::chrono::microseconds(900), 1000), -1);
}

TEST(AutoWindows, TakeTheMeanOfWhatIsReported) {
  AutoWindows windows;
  // Little is waited: it is the objective that makes it change.
  double objective = 1;
  bool has_changed = false;
  for (std::int64_t tick = 0; tick < 300 && !has_changed; ++tick) {
    windows.note_objective(objective);
    objective *= 1.002;
    has_changed = windows.note_tick(Tick{tick}, 1, Time{} + milliseconds(10) * tick);
  }
  EXPECT_TRUE(has_changed);
  EXPECT_EQ(windows.staleness(), 0);
}

}  // namespace
}  // namespace godwit
