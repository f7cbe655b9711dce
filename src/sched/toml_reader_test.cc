// sched/toml_reader_test.cc: what is wrong with a table, and where.
#include "sched/toml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TomlReader, TellsPlaceAndNearestKey) {
  const std::string path = "a.toml";
  const toml::table table =
      parse_toml_text("count = 3\nname = \"x\"\nlist = [\"a\", 1]\nflag = true\npart = 2.5\n", path)
          .value();
  const TomlReader reader{table, path, "a thing"};
  EXPECT_EQ(reader.number("count", 0, 10).value(), 3);
  EXPECT_EQ(reader.number("other", 0, 10, 7).value(), 7);
  EXPECT_TRUE(reader.flag("flag", false).value());
  EXPECT_TRUE(reader.texts("none").value().empty());
  EXPECT_THAT(reader.number("count", 4, 10).error().message(), HasSubstr("a.toml:1"));
  EXPECT_THAT(reader.number("name", 0, 10).error().message(), HasSubstr("a.toml:2"));
  EXPECT_THAT(reader.texts("list").error().message(), HasSubstr("a.toml:3"));
  EXPECT_EQ(reader.whole("count", 0, 10).value(), 3);
  EXPECT_EQ(reader.whole("other", 0, 10, 7).value(), 7);
  EXPECT_EQ(reader.text("name", "y").value(), "x");
  EXPECT_EQ(reader.text("none", "y").value(), "y");
  EXPECT_THAT(reader.text("count", "y").error().message(), HasSubstr("a.toml:1"));
  EXPECT_THAT(reader.whole("part", 0, 10).error().message(),
              AllOf(HasSubstr("a.toml:5"), HasSubstr("2.5"), HasSubstr("whole number")));
  EXPECT_THAT(reader.flag("count", false).error().message(), HasSubstr("neither true nor false"));
  EXPECT_THAT(reader.check_keys({"count", "name", "lists", "flag", "part"}).error().message(),
              HasSubstr("did you mean 'lists'"));
  EXPECT_THAT(parse_toml_text("a = 1\nb = \n", path).error().message(), HasSubstr("a.toml:2"));
}

}  // namespace
}  // namespace godwit
