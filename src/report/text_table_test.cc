// report/text_table_test.cc: what a person sees.
#include "report/text_table.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(TextTable, AlignsNamesLeftAndNumbersRight) {
  TextTable table({"case", "ns/key"});
  table.add({"pull", "7.5"});
  table.add({"push/len=64", "123.0"});
  EXPECT_EQ(table.to_string(),
            "case         ns/key\n"
            "-------------------\n"
            "pull            7.5\n"
            "push/len=64   123.0\n");
}

TEST(TextTableDeathTest, ARowOfAnotherLengthIsABug) {
  TextTable table({"a", "b"});
  EXPECT_DEATH(table.add({"1"}), "row.size");
}

}  // namespace
}  // namespace godwit
