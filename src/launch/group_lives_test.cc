// launch/group_lives_test.cc: waits and their end.
#include "launch/group_lives.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(GroupLives, WaitsDoubleUpToTheirMost) {
  GroupLives lives({.restarts_max = 100});
  for (const int wait_ms : {500, 1000, 2000, 4000, 8000, 8000, 8000}) {
    EXPECT_EQ(lives.next_after(seconds(1)), milliseconds(wait_ms));
  }
  EXPECT_EQ(lives.life(), 7);
}

TEST(GroupLives, AfterALongLifeTheWaitIsShortAgain) {
  GroupLives lives({.restarts_max = 100});
  EXPECT_EQ(lives.next_after(seconds(29)), milliseconds(500));
  EXPECT_EQ(lives.next_after(seconds(29)), milliseconds(1000));
  EXPECT_EQ(lives.next_after(seconds(30)), milliseconds(500));
  EXPECT_EQ(lives.next_after(seconds(1)), milliseconds(1000));
}

TEST(GroupLives, TheLimitCountsAllLivesHoweverLong) {
  GroupLives lives({.restarts_max = 2});
  EXPECT_TRUE(lives.next_after(seconds(1)));
  EXPECT_TRUE(lives.next_after(seconds(1000)));
  EXPECT_FALSE(lives.next_after(seconds(1000)));
  EXPECT_EQ(lives.life(), 2);
}

TEST(GroupLives, NoneAreAllowedWithALimitOfZero) {
  GroupLives lives({.restarts_max = 0});
  EXPECT_FALSE(lives.next_after(seconds(1)));
  EXPECT_EQ(lives.life(), 0);
}

}  // namespace
}  // namespace godwit
