// pace/load_ladder_test.cc: rungs that are known, and what holds for all.
#include "pace/load_ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::ElementsAre;

TEST(LoadLadder, DoublesAtFirst) {
  EXPECT_THAT(LoadLadder(40).loads(), ElementsAre(2, 4, 8, 16, 24, 32, 40));
  EXPECT_THAT(LoadLadder(1000).loads(), ElementsAre(50, 100, 200, 400, 600, 800, 1000));
}

TEST(LoadLadder, SmallLoadsAreWholeAndDiffer) {
  EXPECT_THAT(LoadLadder(1).loads(), ElementsAre(1));
  EXPECT_THAT(LoadLadder(2).loads(), ElementsAre(1, 2));
  EXPECT_THAT(LoadLadder(8).loads(), ElementsAre(1, 2, 3, 5, 6, 8));
}

TEST(LoadLadder, HasAsManyRungsAsAskedForIfTheLoadIsLarge) {
  EXPECT_THAT(LoadLadder(40, 1).loads(), ElementsAre(40));
  EXPECT_THAT(LoadLadder(40, 2).loads(), ElementsAre(2, 40));
  EXPECT_THAT(LoadLadder(40, 4).loads(), ElementsAre(2, 8, 24, 40));
  for (std::size_t rungs = 1; rungs < 30; ++rungs) {
    EXPECT_EQ(LoadLadder(1'000'000, rungs).size(), rungs);
  }
}

TEST(LoadLadder, KnowsTheLowestLoadThatHasSomeSamples) {
  EXPECT_EQ(LoadLadder(16).lowest_from(2), 2U);
  EXPECT_EQ(LoadLadder(64).lowest_from(2), 3U);
  EXPECT_EQ(LoadLadder(1).lowest_from(2), 1U);
}

TEST(LoadLadder, RisesFromAtLeastOneToTheFullLoad) {
  for (std::uint32_t full = 1; full < 300; ++full) {
    for (std::size_t rungs = 1; rungs < 12; ++rungs) {
      const LoadLadder ladder(full, rungs);
      ASSERT_GE(ladder.lowest(), 1U);
      ASSERT_EQ(ladder.full(), full);
      for (std::size_t i = 1; i < ladder.size(); ++i) ASSERT_LT(ladder[i - 1], ladder[i]);
    }
  }
}

}  // namespace
}  // namespace godwit
