// pace/step_time_alarm_test.cc: random steps pass, a table that is wrong does not.
#include "pace/step_time_alarm.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(StepTimeAlarm, RandomStepsPass) {
  Prng prng(1);
  StepTimeAlarm alarm;
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(alarm.note(1, 2 * prng.uniform()));
  EXPECT_NEAR(alarm.ratio(), 1, 0.2);
}

TEST(StepTimeAlarm, StretchesThatAreOffRaiseItOnceEach) {
  StepTimeAlarm alarm;
  int raised = 0;
  for (int i = 0; i < 1000; ++i) raised += alarm.note(1, 1.3);
  EXPECT_EQ(raised, 5);
  EXPECT_TRUE(alarm.is_alarming());
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(alarm.note(1, 0.8));
  EXPECT_FALSE(alarm.is_alarming());
  for (int i = 0; i < 200; ++i) raised += alarm.note(1, 0.7);
  EXPECT_EQ(raised, 6);
}

TEST(StepTimeAlarm, StepsWithoutAPredictionDoNotCount) {
  StepTimeAlarm alarm;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(alarm.note({}, 9));
  EXPECT_EQ(alarm.ratio(), 1);
}

}  // namespace
}  // namespace godwit
