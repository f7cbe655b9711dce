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

TEST(TextTable, TextsStandLeftWithoutBlanksBehindThem) {
  TextTable table({"setting", "meaning"}, TextTable::Align::kLeft);
  table.add({"rank", "how many"});
  table.add({"seed", ""});
  EXPECT_EQ(table.to_string(),
            "setting  meaning\n"
            "-----------------\n"
            "rank     how many\n"
            "seed\n");
}

TEST(AlignedRows, NumbersStandRightAndLettersOfAnyLanguageCountOnce) {
  EXPECT_EQ(aligned_rows({{"topic", "share", "words"}, {"9", "4.8 %", "öl"}, {"10", "12.0 %", ""}}),
            "topic   share  words\n"
            "    9   4.8 %  öl\n"
            "   10  12.0 %\n");
  EXPECT_EQ(aligned_rows({{"word", "nearest", ""}, {"öl", "a 0.9", "b"}, {"fluss", "cc 0.8"}}),
            "word   nearest\n"
            "öl     a 0.9    b\n"
            "fluss  cc 0.8\n");
  EXPECT_EQ(aligned_rows({}), "");
}

TEST(TextTableDeathTest, ARowOfAnotherLengthIsABug) {
  TextTable table({"a", "b"});
  EXPECT_DEATH(table.add({"1"}), "row.size");
}

}  // namespace
}  // namespace godwit
