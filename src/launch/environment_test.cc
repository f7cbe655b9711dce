// launch/environment_test.cc: the map, and numbers that are whole or refused.
#include "launch/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Environment, IsReadLikeGetenvReadsIt) {
  const char* entries[] = {"B=2", "A=x=y", "A=later", "junk", "=odd", "EMPTY=", nullptr};
  const Environment environment = parse_environment(entries);
  EXPECT_THAT(environment_entries(environment), ElementsAre("A=x=y", "B=2", "EMPTY="));
}

TEST(Environment, EmptyCountsAsNotSet) {
  EXPECT_EQ(value_of({{"RANK", ""}}, "RANK"), std::nullopt);
  EXPECT_EQ(value_of({}, "RANK"), std::nullopt);
  EXPECT_EQ(value_of({{"RANK", "1"}}, "RANK"), "1");
}

TEST(Environment, NumbersAreWholeOrRefusedByName) {
  EXPECT_EQ(*number_of({{"RANK", "12"}}, "RANK"), 12);
  EXPECT_EQ(*number_of({}, "RANK"), std::nullopt);
  for (const char* text :
       {"-1", "-0", "1.5", "x", "1 ", " 1", "+1", "0x1", "99999999999999999999"}) {
    const auto number = number_of({{"RANK", text}}, "RANK");
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_EQ(number.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(number.error().message(), HasSubstr("RANK is '" + std::string(text) + "'"));
  }
}

}  // namespace
}  // namespace godwit
