// core/step_tally_test.cc: records of steps that nobody takes.
#include "core/step_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(StepJournal, SaysWhenItIsFull) {
  StepJournal journal;
  constexpr auto kMax = static_cast<std::int64_t>(StepJournal::kKeptMax);
  for (std::int64_t step = 1; step <= kMax; ++step) journal.add(StepRecord{.step = step});
  for (std::int64_t step = kMax + 1; step <= kMax + 3; ++step)
    journal.add(StepRecord{.step = step});
  const StepReport report = journal.take();
  EXPECT_EQ(report.steps.size(), StepJournal::kKeptMax);
  ASSERT_EQ(report.alarms.size(), 1U);
  EXPECT_EQ(report.alarms[0].step, kMax + 1);
  EXPECT_THAT(report.alarms[0].text, testing::HasSubstr("there are 200000 already"));
  journal.add(StepRecord{.step = kMax + 4});
  EXPECT_EQ(journal.take().steps.size(), 1U) << "there is room again";
}

}  // namespace
}  // namespace godwit
