// data/fields_test.cc: lines fall into the right columns.
#include "data/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> split(Separator separator, std::string_view line) {
  FieldSplitter splitter(separator);
  const auto* fields = splitter.split(line);
  if (fields == nullptr) return {"refused"};
  return {fields->begin(), fields->end()};
}

TEST(Fields, EverySeparatorSplits) {
  EXPECT_THAT(split(Separator::kTab, "a b\tc\t"), ElementsAre("a b", "c", ""));
  EXPECT_THAT(split(Separator::kDoubleColon, "1::a:b::3"), ElementsAre("1", "a:b", "3"));
  EXPECT_THAT(split(Separator::kComma, "1, 2 ,,x"), ElementsAre("1", "2", "", "x"));
  EXPECT_THAT(split(Separator::kSemicolon, "1;2"), ElementsAre("1", "2"));
  EXPECT_THAT(split(Separator::kBlanks, " 1  2\t3 "), ElementsAre("1", "2", "3"));
}

TEST(Fields, QuotedFieldsMayHoldSeparatorsAndQuotes) {
  EXPECT_THAT(split(Separator::kComma, R"("a, b" ,"say ""x""",3)"),
              ElementsAre("a, b", "say \"x\"", "3"));
  EXPECT_THAT(split(Separator::kComma, R"(1,"")"), ElementsAre("1", ""));
  EXPECT_THAT(split(Separator::kComma, R"(1,"open)"), ElementsAre("refused"));
  EXPECT_THAT(split(Separator::kComma, R"("a"b,1)"), ElementsAre("refused"));
  EXPECT_THAT(split(Separator::kTab, "a\"\tb"), ElementsAre("a\"", "b"));
}

TEST(Fields, TheSeparatorOfMostLinesIsFound) {
  const OwnFiles files;
  const auto sniffed = [&](std::string_view text) {
    return sniff({.path = files.write("x", text)}, 3, 64, "3 columns");
  };
  EXPECT_EQ(sniffed("a b\tc d\te\n").value().separator, Separator::kTab);
  EXPECT_EQ(sniffed("1::2::3::4\n").value().separator, Separator::kDoubleColon);
  EXPECT_EQ(sniffed("1,2,3\n").value().separator, Separator::kComma);
  EXPECT_EQ(sniffed("1;2;3,5\n").value().separator, Separator::kSemicolon);
  EXPECT_EQ(sniffed("1 2 3\n").value().separator, Separator::kBlanks);
  const Sniffed most = sniffed("1,2,3\n1,2\n\n1,2,3\n").value();
  EXPECT_EQ(most.columns, 3U);
  EXPECT_EQ(most.first.size(), 2U);
  EXPECT_THAT(sniffed("just one\n").error().message(), HasSubstr("x:1: expected 3 columns"));
  EXPECT_THAT(sniffed("\n\n").error().message(), HasSubstr("is empty"));
}

TEST(Fields, NumbersAreWholeOrNothing) {
  EXPECT_EQ(parse_float("+1.5"), 1.5F);
  EXPECT_EQ(parse_float("-2e3"), -2000.0F);
  EXPECT_TRUE(std::isnan(*parse_float("nan")));
  for (const char* text : {"", "+", "+-1", "1x", " 1", "1e99", "0x1p3"}) {
    EXPECT_FALSE(parse_float(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace godwit
