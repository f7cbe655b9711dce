// base/number_text_test.cc: commas and plurals.
#include "base/number_text.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(NumberText, CommasStandBeforeEveryThirdDigit) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(12345678), "12,345,678");
}

TEST(NumberText, OneThingIsNotMany) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(18456, "row"), "18,456 rows");
  EXPECT_EQ(counted(1, "entity", "entities"), "1 entity");
  EXPECT_EQ(counted(2, "entity", "entities"), "2 entities");
}

}  // namespace
}  // namespace godwit
