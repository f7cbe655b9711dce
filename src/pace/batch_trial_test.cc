// pace/batch_trial_test.cc: when trials are made, and what they tell.
#include "pace/batch_trial.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

void note_usual(BatchTrial& trial, int steps, double seconds) {
  for (int i = 0; i < steps; ++i) trial.note_usual(seconds);
}

TEST(BatchTrial, ComparesMediansWithoutTheFirstStep) {
  BatchTrial trial;
  note_usual(trial, 20, 2);
  note_usual(trial, 5, 100);
  trial.begin();
  for (const double seconds : {1000.0, 3.0, 3.0, 3.0, 100.0}) {
    EXPECT_FALSE(trial.note_trial(seconds).has_value());
  }
  EXPECT_TRUE(trial.is_running());
  EXPECT_EQ(trial.note_trial(100.0), 1.5);
  EXPECT_FALSE(trial.is_running());
}

TEST(BatchTrial, NeedsUsualStepsToCompareWith) {
  BatchTrial trial;
  note_usual(trial, 9, 2);
  EXPECT_FALSE(trial.may_begin());
  note_usual(trial, 1, 2);
  EXPECT_TRUE(trial.may_begin());
  trial.forget_usual();
  EXPECT_FALSE(trial.may_begin());
  note_usual(trial, 10, 3);
  EXPECT_TRUE(trial.may_begin());
}

TEST(BatchTrial, ComesMoreAndMoreSeldom) {
  BatchTrial trial;
  note_usual(trial, 10, 1);
  for (const int wait : {200, 400, 800}) {
    ASSERT_TRUE(trial.may_begin());
    trial.begin();
    trial.cancel();
    note_usual(trial, wait - 1, 1);
    EXPECT_FALSE(trial.may_begin());
    note_usual(trial, 1, 1);
  }
}

TEST(BatchTrial, OnlyTheLatestUsualStepsCount) {
  BatchTrial trial;
  note_usual(trial, 1000, 7);
  note_usual(trial, 31, 2);
  trial.begin();
  std::optional<double> ratio;
  while (trial.is_running()) ratio = trial.note_trial(4);
  EXPECT_EQ(ratio, 2);
}

}  // namespace
}  // namespace godwit
