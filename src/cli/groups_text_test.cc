// cli/groups_text_test.cc: what is said about groups.
#include "cli/groups_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace godwit {
namespace {

TEST(GroupsText, CountsGroupsRanksAndTableNodes) {
  EXPECT_EQ(groups_text(4, 2, 1, 20), "4 groups x 2 ranks, 1 table node, 20 epochs");
  EXPECT_EQ(groups_text(1, 1, 2, 1), "1 group x 1 rank, 2 table nodes, 1 epoch");
}

TEST(GroupsText, ALineOfCsvHasAsManyFieldsAsItsHeader) {
  const auto commas = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ',');
  };
  const std::string line = groups_csv({{.samples = 1e9, .exchange_every = 4}}, 1.5);
  EXPECT_EQ(commas(line), commas(groups_csv_header()));
  EXPECT_TRUE(line.starts_with("1.500,0,1000000000,")) << line;
}

TEST(GroupsText, ASectionShowsTheShareOfTimeAndTheBytes) {
  const RunSection section = groups_section(
      {{.samples = 57'000, .exchange_seconds = 1, .seconds = 20, .sent_bytes = 2.5e6}});
  ASSERT_EQ(section.table.size(), 2u);
  EXPECT_EQ(section.table[0].size(), section.table[1].size());
  EXPECT_EQ(section.table[1][1], "57,000");
  EXPECT_EQ(section.table[1][5], "5.0 %");
  EXPECT_EQ(section.table[1][7], "2.5 MB");
}

}  // namespace
}  // namespace godwit
