// base/nearest_name_test.cc: what a typing mistake costs.
#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

TEST(NearestName, CountsInsertedRemovedReplacedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("rank", "rnk"), 1U);
  EXPECT_EQ(edit_distance("rank", "ranks"), 1U);
  EXPECT_EQ(edit_distance("rank", "rang"), 1U);
  EXPECT_EQ(edit_distance("rank", "rakn"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, OfSeveralTheFirst) {
  const std::vector<std::string> names{"epochs", "rank", "rang"};
  EXPECT_EQ(nearest_name("ranx", names), "rank");
  EXPECT_EQ(nearest_name("epoch", names), "epochs");
}

}  // namespace
}  // namespace godwit
