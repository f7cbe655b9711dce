// base/nearest_name_test.cc: distances of known pairs; only near names are proposed.
#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace godwit {
namespace {

TEST(NearestName, DistancesCountLettersAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("rank", "rnak"), 1U);
  EXPECT_EQ(edit_distance("WordNet", "wordnet"), 0U);
  EXPECT_EQ(edit_distance("zipf", "zip"), 1U);
}

TEST(NearestName, TheNearestIsProposedAndNothingIfAllAreFar) {
  const std::vector<std::string> names = {"wordnet", "wn18rr", "a9a", "rank"};
  EXPECT_EQ(nearest_name("wordnt", names), "wordnet");
  EXPECT_EQ(nearest_name("wn18r", names), "wn18rr");
  EXPECT_EQ(nearest_name("a9b", names), "a9a");
  EXPECT_EQ(nearest_name("something", names), "");
  EXPECT_EQ(did_you_mean("rnak", names), " (did you mean 'rank'?)");
  EXPECT_EQ(did_you_mean("something", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

}  // namespace
}  // namespace godwit
